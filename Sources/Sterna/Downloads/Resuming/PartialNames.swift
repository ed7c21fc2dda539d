import Crypto
import SternaCore

/// The names of the files that accompany a destination until its download is complete.
///
/// `big.iso` has `big.iso.sterna-part` and `big.iso.sterna-resume`: visible next to it, as with browsers and aria2, so that users
/// find what takes the space. The names depend only on the destination, so that another process finds them.
struct PartialNames: Sendable, Hashable {
    /// The path of the folder with a trailing slash; empty for the current folder.
    let folder: String

    /// The name of the partial file.
    let partial: String

    /// The name of the file with the ``ResumeData``.
    let sidecar: String

    /// The name under which a new sidecar is written before it replaces the old one.
    var newSidecar: String { sidecar + Self.newSuffix }

    var partialPath: String { folder + partial }
    var sidecarPath: String { folder + sidecar }
    var newSidecarPath: String { folder + newSidecar }

    /// Makes the names for a destination; nil if the path does not end in a file name.
    init?(destination: String) {
        let bytes = destination.utf8
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map(bytes.index(after:)) ?? bytes.startIndex
        let name = String(destination[start...])
        guard !name.isEmpty, name != ".", name != "..", !bytes.contains(0) else { return nil }
        folder = String(destination[..<start])
        let stem = Self.shortened(name)
        partial = stem + Self.partialSuffix
        sidecar = stem + Self.sidecarSuffix
    }

    /// Makes the names to which a partial file belongs; nil for any other file.
    init?(partialPath path: String) {
        guard Self.isPartial(path) else { return nil }
        self.init(destination: String(decoding: path.utf8.dropLast(Self.partialSuffix.utf8.count), as: UTF8.self))
        guard partialPath == path else { return nil }
    }

    /// Returns whether a path has the name of a partial file.
    static func isPartial(_ path: String) -> Bool { path.utf8.reversed().starts(with: partialSuffix.utf8.reversed()) }

    /// Returns whether a name ends like those of partial files and sidecars, in any letter case, since some file systems ignore it.
    ///
    /// A download must not use such a name, which would be taken for a partial file.
    static func isReserved(_ name: String) -> Bool {
        let upper = name.uppercased().utf8.reversed()
        return [partialSuffix, sidecarSuffix, sidecarSuffix + newSuffix].contains { suffix in
            upper.starts(with: suffix.uppercased().utf8.reversed())
        }
    }

    /// The maximum length of a name on common file systems, in bytes.
    static let longest = 255

    private static let partialSuffix = ".sterna-part"
    static let sidecarSuffix = ".sterna-resume"
    private static let newSuffix = PrivateFile.newSuffix

    /// Returns the name, shortened to leave room for the suffixes. A shortened name gets a part of its hash, so that names stay
    /// distinct.
    private static func shortened(_ name: String) -> String {
        let room = longest - sidecarSuffix.utf8.count - newSuffix.utf8.count
        guard name.utf8.count > room else { return name }
        let hash = HexText.text(of: SHA256.hash(data: Array(name.utf8)).prefix(12))
        var kept = ""
        var size = 0
        // Scalars are kept whole: a name may have any bytes, but some file systems require UTF-8.
        for scalar in name.unicodeScalars {
            size += scalar.utf8.count
            guard size + 1 + hash.utf8.count <= room else { break }
            kept.unicodeScalars.append(scalar)
        }
        return "\(kept)~\(hash)"
    }
}
