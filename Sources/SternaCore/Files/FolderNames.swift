import SternaPlatform

/// The names in a folder.
package enum FolderNames {
    /// Returns the names of the files and folders in a folder, in no particular order; none if it cannot be read. Blocks the thread
    /// on the disk.
    package static func all(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var found: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { found.append(name) }
        }
        return found
    }
}
