import HTTPTypes
import NIOCore
import SternaCore

/// A stored response as the store returned it, with its decoded head.
struct StoredEntry: Sendable {
    let variant: CachedVariant
    let head: StoredHead

    init(_ variant: CachedVariant, _ head: StoredHead) { (self.variant, self.head) = (variant, head) }

    /// Decodes the head; nil if it is damaged, or of another version.
    init?(_ variant: CachedVariant, settings: CacheRuleSettings) {
        guard
            let head = variant.known.decoded({ bytes in
                StoredHead(bytes, bodyLength: variant.length, settings: settings)
            })
        else { return nil }
        self.init(variant, head)
    }
}

extension CacheTransaction {
    /// Makes the response that a stored one is served as.
    func serve(
        _ entry: StoredEntry, _ served: ServedResponse, _ field: CacheStatusField, _ source: ResponseSource
    ) -> Response {
        cache.storage.noteUse(of: entry.variant.id)
        var status = entry.head.response.status
        let section: FieldSection
        if served.content == .whole, served.withheld.isEmpty {
            section = FieldSection(checkedLines: entry.head.lines(age: served.age, field))
        } else {
            var made = CacheFields.served(entry.head.response, as: served)
            field.append(to: &made.fields)
            status = made.status
            section = FieldSection(made.fields)
        }
        var response = Response(
            status: .init(code: min(max(status, 100), 999)), section: section, body: body(of: entry, served.content),
            url: request.url)
        response.source = source
        response.recorder = request.recorder
        return response
    }

    private func body(of entry: StoredEntry, _ content: ServedResponse.Content) -> ResponseBody {
        switch content {
        case .head, .notModified: return ResponseBody()
        case .whole:
            switch entry.variant.body {
            case .whole(let bytes): return ResponseBody(bytes)
            case .reader(let reader): return ResponseBody(StoredBody(reader, 0..<reader.length))
            }
        case .part(let range, _):
            guard let stored = entry.head.response.extent.storedRange(of: range) else { return ResponseBody() }
            switch entry.variant.body {
            case .whole(let bytes):
                let start = bytes.readerIndex + Int(stored.lowerBound)
                return ResponseBody(bytes.getSlice(at: start, length: stored.count) ?? Bytes())
            case .reader(let reader): return ResponseBody(StoredBody(reader, stored))
            }
        }
    }

    /// Adds a Cache-Status member to a response of the network.
    func marked(_ response: Response, _ field: CacheStatusField) -> Response {
        var response = response
        var fields = response.headers
        field.append(to: &fields)
        response.headers = fields
        return response
    }

    /// Returns the 504 for an only-if-cached request without a usable stored response (RFC 9111, 5.2.1.7).
    static func unanswered(_ request: Request, _ field: CacheStatusField) -> Response {
        var fields = HTTPFields()
        field.append(to: &fields)
        fields[.contentLength] = "0"
        var response = Response(status: .gatewayTimeout, section: FieldSection(fields), url: request.url)
        response.source = .cache
        response.note = field.detail.map { "Nothing was sent: \($0)." }
        response.recorder = request.recorder
        return response
    }

    static func unanswered(_ request: Request, _ reason: String) -> Response {
        var field = CacheStatusField(.gatewayTimeout(.method))
        field.detail = reason
        return unanswered(request, field)
    }
}

extension StoredHead {
    /// Returns the field lines of a stored response that is served with its whole body.
    func lines(age: Int64, _ field: CacheStatusField) -> Bytes {
        var all = Bytes()
        // Reserves room for what most hits add, so that the bytes are moved once.
        all.reserveCapacity(lines.readableBytes + 200)
        all.writeImmutableBuffer(lines)
        all.writeStaticString("Age: ")
        all.writeString("\(min(max(0, age), CacheControl.longest))")
        all.writeStaticString("\r\nCache-Status: ")
        field.write(to: &all)
        all.writeStaticString("\r\n")
        return all
    }
}

extension StoredExtent {
    /// Returns the position of a range of the representation in the stored body; nil if part of the range is not stored.
    func storedRange(of range: Range<Int64>) -> Range<Int64>? {
        guard contains(range) else { return nil }
        guard case .parts(let ranges, _) = self else { return range }
        var before: Int64 = 0
        for stored in ranges.ranges {
            if stored.contains(range.lowerBound) {
                let start = before + (range.lowerBound - stored.lowerBound)
                return start..<start + (range.upperBound - range.lowerBound)
            }
            before += stored.upperBound - stored.lowerBound
        }
        return nil
    }
}
