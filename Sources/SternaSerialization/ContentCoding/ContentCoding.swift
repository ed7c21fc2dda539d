package import SternaCore

/// A content coding of a body (RFC 9110, 8.4.1).
public enum ContentCoding: String, Sendable, Hashable {
    case gzip, deflate

    #if !Brotli
    @available(*, unavailable, message: "Enable the trait Brotli of the package sterna.")
    #endif
    /// Brotli (RFC 7932), if the package's trait `Brotli` is enabled.
    case brotli = "br"

    #if !Zstd
    @available(*, unavailable, message: "Enable the trait Zstd of the package sterna.")
    #endif
    /// Zstandard (RFC 8878), if the package's trait `Zstd` is enabled.
    case zstd

    /// The codings of this build, in the order in which Accept-Encoding names them: that of browsers, which servers know best.
    package static let supported: [ContentCoding] = {
        var codings: [ContentCoding] = [.gzip, .deflate]
        #if Brotli
        codings.append(.brotli)
        #endif
        #if Zstd
        codings.append(.zstd)
        #endif
        return codings
    }()

    /// The extensions of files whose own format is this coding, in lower case.
    package var fileExtensions: [String] {
        switch self {
        case .gzip: ["gz", "gzip", "tgz", "svgz", "emz", "wmz"]
        case .deflate: []
        #if Brotli
        case .brotli: ["br"]
        #endif
        #if Zstd
        case .zstd: ["zst", "zstd", "tzst"]
        #endif
        }
    }

    /// Parses a Content-Encoding field into codings, in the order in which they were applied; identity is left out.
    ///
    /// Throws `contentCodingFailed` for an unknown coding, or more than four.
    package static func parse(_ field: String) throws(SternaError) -> [ContentCoding] {
        guard let codings = try known(field) else { throw unknown(field) }
        return codings
    }

    /// Parses a field like ``parse(_:)``, but returns nil if one of the codings is unknown.
    package static func known(_ field: String) throws(SternaError) -> [ContentCoding]? {
        var codings: [ContentCoding] = []
        for item in field.split(separator: ",") {
            let name = item.trimmingBlanks().lowercased()
            if name.isEmpty || name == "identity" { continue }
            // The only alias that RFC 9110 has for a coding of the list (8.4.1.3).
            let token = name == "x-gzip" ? ContentCoding.gzip.rawValue : name
            guard let coding = supported.first(where: { $0.rawValue == token }) else { return nil }
            codings.append(coding)
        }
        guard codings.count <= 4 else {
            throw SternaError(
                .contentCodingFailed, phase: .decode,
                "The response names \(codings.count) content codings; at most 4 are accepted.")
        }
        return codings
    }

    /// Returns the error for a field that names an unknown coding.
    static func unknown(_ field: String) -> SternaError {
        SternaError(
            .contentCodingFailed, phase: .decode,
            "The body is in the content coding “\(FieldSyntax.printable(field))”, which was not requested and is not supported; "
                + "read the coded bytes with data()."
        ).advised(.inDetail)
    }

    /// Makes a decoder of this coding.
    package func makeDecoder() -> any ContentDecoder {
        switch self {
        case .gzip: Inflater(.gzip)
        case .deflate: Inflater(.deflate)
        #if Brotli
        case .brotli: BrotliDecoder()
        #endif
        #if Zstd
        case .zstd: ZstandardDecoder()
        #endif
        }
    }

    /// Makes an encoder of this coding.
    ///
    /// - Parameters:
    ///   - level: the compression level; nil for the coding's own default.
    ///   - length: the number of bytes that will be compressed; nil if it is unknown.
    func makeEncoder(level: Int?, length: Int64?) throws(SternaError) -> any ContentEncoder {
        switch self {
        case .gzip, .deflate: try Deflater(self, level: level ?? 6)
        #if Brotli
        case .brotli: try BrotliEncoder(level: level ?? 5, length: length)
        #endif
        #if Zstd
        case .zstd: try ZstandardEncoder(level: level ?? 3, length: length)
        #endif
        }
    }
}

extension Substring {
    /// Returns the text without leading and trailing spaces and tabs.
    func trimmingBlanks() -> Substring {
        var text = self
        while let first = text.utf8.first, first == 0x20 || first == 0x09 {
            text = Substring(text.utf8.dropFirst())
        }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 {
            text = Substring(text.utf8.dropLast())
        }
        return text
    }
}
