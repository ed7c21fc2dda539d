import NIOCore
import Sterna
import SternaPlatform

/// Parses the XML of S3, strictly and within limits.
enum S3XML {
    private static var limits: S3Element.Limits {
        S3Element.Limits(depth: 16, bytes: 16 << 20, elements: 100_000)
    }

    /// The maximum length of an error's code, in bytes.
    private static let longestCode = 128

    /// Returns the error that a document reports; nil for any other document.
    static func error(_ bytes: Bytes) -> S3Error? {
        guard bytes.count <= S3Error.longest, let root = try? S3Element(parsing: bytes, limits: limits)
        else {
            return nil
        }
        // Some services wrap the error.
        let error = root.localName == "ErrorResponse" ? root["Error"] ?? root : root
        guard error.localName == "Error", let code = error["Code"]?.text, !code.isEmpty, code.utf8.count <= longestCode,
            code.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        let text = { (name: String) in
            error[name].map { FieldSyntax.printable($0.text, limit: 1_000) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        return S3Error(
            code: code, message: text("Message") ?? "", requestID: text("RequestId"), resource: text("Resource"))
    }

    /// Returns the name of a document's root; nil if it is not well-formed.
    static func rootName(_ bytes: Bytes) -> String? {
        (try? S3Element(parsing: bytes, limits: limits))?.localName
    }

    /// Returns a page of a listing. Throws `decodingFailed` or `limitExceeded`.
    static func page(_ bytes: Bytes) throws(SternaError) -> S3Page {
        let root = try S3Element(parsing: bytes, limits: limits)
        guard root.localName == "ListBucketResult" else {
            throw malformed("The listing is not a ListBucketResult but “\(FieldSyntax.printable(root.localName))”")
        }
        let isEncoded: Bool
        switch root["EncodingType"]?.text {
        case nil, "": isEncoded = false
        case "url": isEncoded = true
        default: throw malformed("The listing has an unknown EncodingType")
        }
        var page = S3Page()
        for element in root.elements {
            switch element.localName {
            case "Contents": page.objects.append(try object(element, isEncoded))
            case "CommonPrefixes":
                for prefix in element.elements(named: "Prefix") {
                    page.prefixes.append(try name(prefix.text, isEncoded))
                }
            default: break
            }
        }
        switch root["IsTruncated"]?.text {
        case "true":
            guard let token = root["NextContinuationToken"]?.text, !token.isEmpty, token.utf8.count <= 8_192 else {
                throw malformed("The listing continues, but has no NextContinuationToken")
            }
            page.next = token
        case "false": break
        default: throw malformed("The listing does not say whether it IsTruncated")
        }
        return page
    }

    private static func object(_ element: S3Element, _ isEncoded: Bool) throws(SternaError) -> S3Object {
        guard let key = element["Key"]?.text, !key.isEmpty else {
            throw malformed("An object of the listing has no Key")
        }
        guard let digits = element["Size"]?.text, let size = Int64(digits), size >= 0, digits.utf8.first != 0x2B else {
            throw malformed("An object of the listing has no Size")
        }
        var modified: Date?
        if let text = element["LastModified"]?.text {
            guard let date = Self.date(text) else {
                throw malformed("An object of the listing has an invalid LastModified")
            }
            modified = date
        }
        return S3Object(
            key: try name(key, isEncoded), size: size, lastModified: modified, entityTag: element["ETag"]?.text,
            storageClass: element["StorageClass"]?.text)
    }

    /// Returns a key, decoded if the listing is percent-encoded.
    private static func name(_ text: String, _ isEncoded: Bool) throws(SternaError) -> String {
        guard isEncoded else { return text }
        guard let name = S3KeyCoding.decoded(text) else {
            throw malformed("A key of the listing has an invalid encoding")
        }
        return name
    }

    /// Returns the date of a text such as `2009-10-12T17:50:30.000Z`, with or without fractions; nil for another text.
    static func date(_ text: String) -> Date? {
        guard text.utf8.count <= 40, text.utf8.last == UInt8(ascii: "Z") else { return nil }
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.utf8.contains(UInt8(ascii: ".")))
        return try? style.parse(text)
    }

    static func malformed(_ what: String) -> SternaError {
        SternaError(.decodingFailed, phase: .decode, "\(what); the server does not respond as S3 does.")
    }
}

/// Decodes keys in the encoding `url` of listings.
enum S3KeyCoding {
    /// Returns the decoded text; nil for a percent sign without two digits, and for bytes that are not UTF-8.
    static func decoded(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x61 + 10
        default: nil
        }
    }
}
