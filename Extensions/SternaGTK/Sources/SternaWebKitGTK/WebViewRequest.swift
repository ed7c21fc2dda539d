import CSternaLibWebKitGTK
import CSternaWebKitGTK
import NIOCore
import Sterna
import SternaGTK
import SternaPlatform

/// A request of a view, which is answered once.
@MainActor final class WebViewRequest {
    let uri: String
    let method: String
    private let reference: ObjectReference

    init(_ pointer: GObjectPointer) {
        reference = ObjectReference(to: pointer.raw)
        uri = webkit_uri_scheme_request_get_uri(pointer.opaque).map { String(cString: $0) } ?? ""
        method = webkit_uri_scheme_request_get_http_method(pointer.opaque).map { String(cString: $0) } ?? "GET"
    }

    /// The header fields that WebKit wants to send.
    var fields: [(String, String)] {
        let list = FieldList()
        sterna_webkit_fields(
            reference.opaque,
            { name, value, data in
                guard let name, let value, let data else { return }
                Unmanaged<FieldList>.fromOpaque(data).takeUnretainedValue().fields
                    .append((String(cString: name), String(cString: value)))
            }, Unmanaged.passUnretained(list).toOpaque())
        return list.fields
    }

    private final class FieldList { var fields: [(String, String)] = [] }

    /// Returns the body, empty if there is none; nil if it is longer than a limit, or cannot be read.
    func body(upTo limit: Int64) -> [UInt8]? {
        var count: Int64 = 0
        guard let bytes = sterna_webkit_body(reference.opaque, limit, &count) else { return count < 0 ? nil : [] }
        defer { g_free(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    func answer(_ reply: Reply, isConfined: Bool) {
        let fields = WebViewFields.shown(reply.headers.map { ($0.name.rawName, $0.value) }, isConfined: isConfined)
        let texts: [UnsafeMutablePointer<CChar>?] = fields.flatMap { [strdup($0.0), strdup($0.1)] }
        defer { for text in texts { free(text) } }
        let pointers = texts.map { text in text.map { UnsafePointer($0) } } + [nil, nil]
        let type = reply.headers[.contentType]
        reply.body.withUnsafeReadableBytes { bytes in
            sterna_webkit_answer(
                reference.opaque, UInt32(clamping: reply.status), type, pointers, bytes.baseAddress, bytes.count)
        }
    }

    func fail(_ message: String) { sterna_webkit_fail(reference.opaque, message) }
}
