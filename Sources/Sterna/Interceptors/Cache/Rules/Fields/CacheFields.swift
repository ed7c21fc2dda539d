import HTTPTypes
import SternaCore

/// The fields of a response that are stored, updated and served.
enum CacheFields {
    /// The fields of connections and proxies, which are not stored (RFC 9111, 3.1), in lower case.
    private static let hopFields: Set<String> = [
        "connection", "keep-alive", "te", "transfer-encoding", "upgrade", "proxy-connection", "proxy-authenticate",
        "proxy-authentication-info", "proxy-authorization", "trailer",
    ]

    /// Secret fields that concern one request only, in lower case: cookies take effect when they arrive.
    private static let secretFields: Set<String> = ["set-cookie", "set-cookie2", "authentication-info"]

    /// The fields that describe the stored bytes or a 304's empty content, which an update does not change (RFC 9111, 3.2).
    private static let contentFields: Set<String> = [
        "content-length", "content-encoding", "content-range", "content-digest", "content-md5", "digest",
    ]

    /// The fields that identify the stored bytes, which a 304 does not change either: servers that compress, and proxies before
    /// them, often send those of another representation. A weak tag never becomes a strong one.
    private static let namingFields: Set<String> = ["etag", "last-modified", "content-type"]

    /// The content fields that a 304 does not have (RFC 9110, 15.4.5).
    private static let absentFromNotModified: Set<String> = [
        "content-length", "content-encoding", "content-range", "content-type", "content-language", "content-digest",
        "content-md5", "digest",
    ]

    /// Returns the fields of a response that are stored (RFC 9111, 3.1).
    static func stored(
        _ fields: HTTPFields, _ control: CacheControl.Response, _ settings: CacheRuleSettings
    ) -> HTTPFields {
        var dropped = hopFields.union(secretFields).union(connectionOptions(fields))
        // A shared cache does not store private fields (RFC 9111, 5.2.2.7).
        if settings.isShared, case .fields(let names) = control.isPrivate { dropped.formUnion(names) }
        return HTTPFields(fields.filter { !dropped.contains($0.name.canonicalName) })
    }

    /// Returns stored fields, updated by those of a 304, of a response to HEAD, or of a further part (RFC 9111, 3.2).
    ///
    /// A field of the update replaces all lines with its name. Age and Date describe the response that brought them, so stored ones
    /// are always removed.
    static func updated(_ stored: HTTPFields, by update: HTTPFields, isNotModified: Bool = false) -> HTTPFields {
        var kept = hopFields.union(contentFields).union(connectionOptions(update))
        if isNotModified { kept.formUnion(namingFields) }
        let new = update.filter { !kept.contains($0.name.canonicalName) }
        let replaced = Set(new.map(\.name.canonicalName)).union(["age", "date"])
        return HTTPFields(stored.filter { !replaced.contains($0.name.canonicalName) } + new)
    }

    /// Returns the status and the fields with which a stored response is served (RFC 9111, 4 and 5.1).
    ///
    /// Content-Length and Content-Range are computed from the stored bytes, whatever the server sent.
    static func served(_ response: StoredResponse, as served: ServedResponse) -> (status: Int, fields: HTTPFields) {
        var status = response.status
        var dropped = served.withheld
        if served.content == .notModified {
            status = 304
            dropped.formUnion(absentFromNotModified)
        }
        var fields = response.fields
        if !dropped.isEmpty { fields = HTTPFields(fields.filter { !dropped.contains($0.name.canonicalName) }) }
        fields[.age] = "\(min(max(0, served.age), CacheControl.longest))"
        switch served.content {
        case .whole, .head:
            // A response to HEAD may state the length of the body that GET would return.
            if !hasNoContent(status) { fields[.contentLength] = response.extent.length.map { "\($0)" } }
        case .part(let range, let length):
            status = 206
            fields[.contentLength] = "\(range.upperBound - range.lowerBound)"
            fields[.contentRange] = ContentRange.part(range, length: length).fieldValue
        case .notModified: break
        }
        return (status, fields)
    }

    private static func hasNoContent(_ status: Int) -> Bool { status < 200 || status == 204 || status == 304 }

    private static func connectionOptions(_ fields: HTTPFields) -> Set<String> {
        guard fields.contains(.connection) else { return [] }
        var names: Set<String> = []
        for line in fields[values: .connection] {
            for part in line.utf8.split(separator: UInt8(ascii: ",")) {
                names.insert(DirectiveList.lowercased(Blanks.trimmed(part)))
            }
        }
        // A Connection field cannot remove the fields that the cache decides by: freshness, Vary, and validators.
        return names.subtracting(["cache-control", "expires", "vary", "date", "age", "pragma", "etag", "last-modified"])
    }
}
