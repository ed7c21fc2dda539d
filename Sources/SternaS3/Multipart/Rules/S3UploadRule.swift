import Crypto
import Sterna
import SternaPlatform
import SternaTransfers

/// Decides the steps of a multipart upload. Functions of values.
enum S3UploadRule {
    // MARK: Parts

    /// The parts that the server has, and those to send.
    struct Inventory: Sendable, Hashable {
        /// The parts to keep, by number.
        var kept: [Int: S3Part] = [:]
        /// The numbers of the parts to send, in order.
        var missing: [Int] = []
    }

    /// Compares the server's list of parts with the plan and the recorded parts.
    ///
    /// A part whose size differs, or whose entity tag is not the recorded one, is sent again. Parts that are not in the plan are
    /// left out of the completion.
    static func inventory(_ plan: S3PartPlan, noted: [S3Part], listed: [S3Part]) -> Inventory {
        let noted = Dictionary(noted.map { ($0.number, $0) }) { _, last in last }
        let listed = Dictionary(listed.map { ($0.number, $0) }) { _, last in last }
        var inventory = Inventory()
        for number in plan.numbers {
            let known = noted[number]
            if var part = listed[number], part.size == plan.size(number),
                known.map({ S3Part.bare($0.entityTag) == S3Part.bare(part.entityTag) }) ?? true
            {
                part.checksum = part.checksum ?? known?.checksum
                inventory.kept[number] = part
            } else {
                inventory.missing.append(number)
            }
        }
        return inventory
    }

    /// Returns whether to record the state, so that an upload has about 200 records at most.
    ///
    /// - Parameters:
    ///   - bytes: the bytes confirmed since the last record.
    ///   - length: the length of the file in bytes.
    static func isNoteDue(after bytes: Int64, length: Int64) -> Bool { bytes > 0 && bytes >= length / 200 }

    // MARK: The object

    /// Returns the entity tag of an object with these parts: the MD5 of their MD5s, and their number; nil if their tags are not
    /// MD5s, as with KMS keys.
    static func objectTag(_ parts: [S3Part]) -> String? {
        var hash = Insecure.MD5()
        for part in parts {
            guard let bytes = md5(S3Part.bare(part.entityTag)) else { return nil }
            hash.update(data: bytes)
        }
        return hash.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "-\(parts.count)"
    }

    private static func md5(_ text: String) -> [UInt8]? {
        var rest = Array(text.utf8)[...]
        guard rest.count == 32 else { return nil }
        var bytes: [UInt8] = []
        while let high = rest.popFirst(), let low = rest.popFirst() {
            guard let byte = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16), high != 0x2B else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }

    /// Returns whether an object is the result of an upload whose response to the completion was lost.
    ///
    /// The entity tag decides. If it cannot be predicted, size, number of parts and time do: S3 dates an object by the creation of
    /// its upload.
    static func isObject(_ object: S3ObjectInfo, of state: S3UploadState, parts count: Int) -> Bool {
        guard state.isCompleting, object.size == state.length, let tag = object.entityTag.map(S3Part.bare) else {
            return false
        }
        if let expected = state.objectTag { return tag == expected }
        guard tag.hasSuffix("-\(count)"), let created = state.created, let modified = object.lastModified else {
            return false
        }
        return modified.timeIntervalSince1970 >= Double(created) - 2
    }

    // MARK: Failures

    /// The consequence of a failed request.
    enum Verdict: Sendable, Hashable {
        /// The same request may succeed later.
        case again
        /// The server does not know the upload.
        case gone
        /// The server does not have the parts to join.
        case partsUnknown
        /// The failure is permanent for this upload.
        case fail
    }

    private static let transientCodes: Set<String> = [
        "SlowDown", "InternalError", "RequestTimeout", "ServiceUnavailable", "OperationAborted", "BadDigest",
        "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch", "IncompleteBody", "ExpiredToken", "Throttling",
        "ThrottlingException", "TooManyRequests", "Busy", "ServerBusy",
    ]

    private static let transientKinds: Set<SternaError.Kind> = [
        .timedOut, .hostNotFound, .connectionFailed, .proxyFailed, .writeFailed, .connectionClosed, .truncated,
        .malformedResponse, .digestMismatch, .tlsFailed,
    ]

    /// Returns the consequence of a failure.
    static func verdict(_ error: SternaError) -> Verdict {
        if let code = error.s3Error?.code {
            switch code {
            case "NoSuchUpload", "NotFound": return .gone
            case "InvalidPart", "InvalidPartOrder": return .partsUnknown
            default:
                return transientCodes.contains(code) || TransientStatus.contains(error.status) ? .again : .fail
            }
        }
        return transientKinds.contains(error.kind) ? .again : .fail
    }

    /// Returns the wait before a request is repeated: 0.5 s, doubled with each failure in a row up to 20 s, partly random. A server
    /// may request more.
    static func wait(afterFailures count: Int, asked: Duration?, first: Duration, random: Double) -> Duration {
        let backoff = ExponentialBackoff(first: first, limit: .seconds(20))
        return max(asked ?? .zero, backoff.delay(count - 1, random: random))
    }
}
