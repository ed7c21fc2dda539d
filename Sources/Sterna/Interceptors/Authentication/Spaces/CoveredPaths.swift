import SternaCore
import SternaTransport

/// The paths of a protection space: its credentials are sent at and below them without a challenge.
enum CoveredPaths {
    static let most = 16

    /// Returns the paths that an accepted credential covers. For Digest, those of `domain` on the same origin, or the whole origin
    /// without `domain` (RFC 7616, 3.3). For other schemes, and if `domain` names only other origins, all paths at the same depth
    /// or below, up to the last slash of the request's path (RFC 7617, 2.2).
    static func paths(_ scheme: ChallengeCandidate.Scheme, of url: HTTPURL) -> [String] {
        guard case .digest(let digest) = scheme else { return [folder(of: url)] }
        guard !digest.domain.isEmpty else { return ["/"] }
        let base = url.removingUserinfo()
        let own = digest.domain.compactMap { try? HTTPURL($0, relativeTo: base) }.filter { $0.origin == url.origin }
        return own.isEmpty ? [folder(of: url)] : Array(own.prefix(most).map(\.path))
    }

    /// Returns the length in bytes of the longest covered path that a path is at or below; nil if no path covers it.
    static func match(_ path: String, in covered: [String]) -> Int? {
        covered.filter { isBelow(path.utf8, $0.utf8) }.map(\.utf8.count).max()
    }

    /// Adds paths, and removes those that another path covers.
    static func merge(_ new: [String], into covered: inout [String]) {
        for path in new where match(path, in: covered) == nil {
            covered.removeAll { isBelow($0.utf8, path.utf8) }
            // The oldest path is dropped, and the server challenges it again.
            if covered.count >= most { covered.removeFirst() }
            covered.append(path)
        }
    }

    private static func folder(of url: HTTPURL) -> String {
        let path = url.path
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
        return String(path[...slash])
    }

    private static func isBelow(_ path: String.UTF8View, _ prefix: String.UTF8View) -> Bool {
        guard path.starts(with: prefix) else { return false }
        return prefix.last == UInt8(ascii: "/") || path.count == prefix.count
            || path.dropFirst(prefix.count).first == UInt8(ascii: "/")
    }
}
