import Crypto
import SternaCore

/// The names of the files that a download to a destination has beside it until it is complete.
///
/// `big.iso` has `big.iso.sterna-part` and `big.iso.sterna-resume`: visible and sorted next to it, as with browsers and aria2, so
/// that a user finds what takes the space. They depend on the destination alone, so that another process finds them, too.
struct PartialNames: Sendable, Hashable {
    /// The path of the folder with a slash at its end; empty for the current folder.
    let folder: String

    /// The name of the file that the bytes go to.
    let partial: String

    /// The name of the file with the ``ResumeData``.
    let sidecar: String

    /// The name under which a sidecar is written before it takes the place of the one before.
    var newSidecar: String { sidecar + Self.newSuffix }

    var partialPath: String { folder + partial }
    var sidecarPath: String { folder + sidecar }
    var newSidecarPath: String { folder + newSidecar }

    /// Makes the names for a destination; nil for a path without the name of a file.
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

    /// Makes the names that a partial file belongs to; nil for another file.
    init?(partialPath path: String) {
        guard Self.isPartial(path) else { return nil }
        self.init(destination: String(decoding: path.utf8.dropLast(Self.partialSuffix.utf8.count), as: UTF8.self))
        guard partialPath == path else { return nil }
    }

    /// Whether a path is that of a partial file by its name.
    static func isPartial(_ path: String) -> Bool { path.utf8.reversed().starts(with: partialSuffix.utf8.reversed()) }

    /// Whether a name ends as those of partial files and sidecars do, also for file systems that do not tell case.
    ///
    /// Another file under such a name would be taken for what an earlier download has left.
    static func isReserved(_ name: String) -> Bool {
        let upper = name.uppercased().utf8.reversed()
        return [partialSuffix, sidecarSuffix, sidecarSuffix + newSuffix].contains { suffix in
            upper.starts(with: suffix.uppercased().utf8.reversed())
        }
    }

    /// The longest name that common file systems allow, in bytes.
    static let longest = 255

    private static let partialSuffix = ".sterna-part"
    static let sidecarSuffix = ".sterna-resume"
    private static let newSuffix = SavedFile.newSuffix

    /// Returns the name with room for the suffixes. A name that is cut gets a part of its hash, so that no two are the same.
    private static func shortened(_ name: String) -> String {
        let room = longest - sidecarSuffix.utf8.count - newSuffix.utf8.count
        guard name.utf8.count > room else { return name }
        let hash = HexText.text(of: SHA256.hash(data: Array(name.utf8)).prefix(12))
        var kept = ""
        var size = 0
        // Scalars stay whole: a name may have any bytes, but file systems may want UTF-8.
        for scalar in name.unicodeScalars {
            size += scalar.utf8.count
            guard size + 1 + hash.utf8.count <= room else { break }
            kept.unicodeScalars.append(scalar)
        }
        return "\(kept)~\(hash)"
    }
}
