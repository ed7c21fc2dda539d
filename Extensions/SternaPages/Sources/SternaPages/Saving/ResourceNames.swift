import SternaCore
import SternaSerialization

/// Makes names of files from URLs and media types: ASCII letters, digits, `-`, `_` and one dot, unique in any case.
enum ResourceNames {
    /// The greatest length of a name without its extension.
    private static let longest = 60

    /// Returns a name for each resource.
    static func assign(_ resources: [LoadedResource]) -> [Int: String] {
        var names: [Int: String] = [:]
        var taken: Set<String> = []
        var counts: [String: Int] = [:]
        for resource in resources {
            let ending = fileExtension(of: resource)
            let stem = stem(of: resource.url)
            // Numbers of a name go on where they ended, so that many equal names take no time.
            var number = counts["\(stem).\(ending)", default: 1]
            var name = number == 1 ? "\(stem).\(ending)" : "\(stem)-\(number).\(ending)"
            while !taken.insert(name).inserted {
                number += 1
                name = "\(stem)-\(number).\(ending)"
            }
            counts["\(stem).\(ending)"] = number + 1
            names[resource.id] = name
        }
        return names
    }

    /// The last segment of a path without its extension, in lower case, reduced to safe characters.
    static func stem(of url: HTTPURL) -> String {
        let segment = url.path.split(separator: "/").last.map(String.init) ?? ""
        let base = segment.lastIndex(of: ".").map { String(segment[..<$0]) } ?? segment
        var stem: [UInt8] = []
        for byte in decoded(base) {
            switch byte {
            case 0x41...0x5A: stem.append(byte | 0x20)
            case 0x61...0x7A, 0x30...0x39, UInt8(ascii: "_"): stem.append(byte)
            default: if !stem.isEmpty, stem.last != UInt8(ascii: "-") { stem.append(UInt8(ascii: "-")) }
            }
        }
        stem = Array(stem.prefix(longest))
        while stem.last == UInt8(ascii: "-") { stem.removeLast() }
        let text = String(decoding: stem, as: UTF8.self)
        return text.isEmpty ? "resource" : isDevice(text) ? "_\(text)" : text
    }

    /// The bytes that percent-encoding stands for.
    private static func decoded(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = CSSScanner.hexValue(bytes[index + 1]),
                let low = CSSScanner.hexValue(bytes[index + 2])
            {
                result.append(UInt8(high << 4 | low))
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// Names that Windows takes for devices.
    private static func isDevice(_ name: String) -> Bool {
        if ["con", "prn", "aux", "nul"].contains(name) { return true }
        return name.utf8.count == 4 && (name.hasPrefix("com") || name.hasPrefix("lpt"))
            && (name.last?.isNumber ?? false)
    }

    /// The extension: by what it was read as, the media type, or the URL if that says nothing.
    private static func fileExtension(of resource: LoadedResource) -> String {
        switch resource.content {
        case .document: "html"
        case .sheet: "css"
        case .data: fileExtension(of: resource.mediaType?.essence, resource.url)
        }
    }

    static func fileExtension(of type: String?, _ url: HTTPURL) -> String {
        let written = url.path.split(separator: "/").last.flatMap { segment -> String? in
            guard let dot = segment.lastIndex(of: ".") else { return nil }
            let ending = segment[segment.index(after: dot)...].lowercased()
            let isPlain = ending.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
            return isPlain && (1...8).contains(ending.utf8.count) ? ending : nil
        }
        let typeOfWritten = written.map { MediaType.ofFile(named: "a.\($0)") }
        // Servers name fonts and scripts in many ways, and some say of everything that it is bytes or text.
        guard let type, type != "application/octet-stream", type != "text/plain" || written == nil else {
            return typeOfWritten == "application/octet-stream" ? "bin" : written ?? "bin"
        }
        if let written, typeOfWritten == type { return written }
        return extensions[type] ?? type.split(separator: "/").last.flatMap { sub in
            typeOfWritten == "application/octet-stream" || written == nil || type.hasPrefix("text/html")
                ? (MediaType.ofFile(named: "a.\(sub)") == type ? String(sub) : nil) : written
        } ?? "bin"
    }

    private static let extensions: [String: String] = [
        "text/html": "html", "application/xhtml+xml": "html", "text/css": "css", "text/javascript": "js",
        "application/javascript": "js", "application/x-javascript": "js", "application/ecmascript": "js",
        "application/json": "json", "text/plain": "txt", "text/vtt": "vtt", "image/jpeg": "jpg", "image/png": "png",
        "image/gif": "gif", "image/webp": "webp", "image/avif": "avif", "image/svg+xml": "svg", "image/x-icon": "ico",
        "image/vnd.microsoft.icon": "ico", "image/bmp": "bmp", "image/tiff": "tiff", "font/woff": "woff",
        "font/woff2": "woff2", "font/ttf": "ttf", "font/otf": "otf", "application/font-woff": "woff",
        "application/font-woff2": "woff2", "application/vnd.ms-fontobject": "eot", "video/mp4": "mp4",
        "video/webm": "webm",
        "video/ogg": "ogv", "audio/mpeg": "mp3", "audio/mp4": "m4a", "audio/ogg": "ogg", "audio/wav": "wav",
        "application/pdf": "pdf", "application/xml": "xml", "text/xml": "xml",
    ]
}
