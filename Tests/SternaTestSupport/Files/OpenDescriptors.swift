import SternaPlatform

/// The descriptors of this process that belong to one test, whatever other tests open meanwhile. Empty on systems without /proc.
enum OpenDescriptors {
    /// The number of connections to a local port.
    static func connections(to port: Int) -> Int {
        numbers().count { number in
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutableBytes(of: &address) { raw -> CInt in
                // The size is that of the structure.
                guard let base = raw.baseAddress else { return -1 }
                return getpeername(number, base.assumingMemoryBound(to: sockaddr.self), &size)
            }
            return result == 0 && address.sin_family == sa_family_t(AF_INET)
                && UInt16(bigEndian: address.sin_port) == UInt16(truncatingIfNeeded: port)
        }
    }

    /// The paths of the open files in a folder.
    static func files(in folder: String) -> [String] {
        numbers().compactMap { number in
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return path.flatMap { $0.hasPrefix(folder) ? $0 : nil }
        }
    }

    private static func numbers() -> [CInt] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { CInt($0) }
    }
}
