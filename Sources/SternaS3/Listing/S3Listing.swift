import Sterna
public import SternaPlatform

/// An object of a listing.
public struct S3Object: Sendable, Hashable {
    /// The object's key.
    public let key: String

    /// The size in bytes.
    public let size: Int64

    /// The time at which the object was stored; nil if the server did not name it.
    public let lastModified: Date?

    /// The entity tag, including its quotation marks; nil if the server sent none.
    public let entityTag: String?

    /// The storage class; nil if the server sent none.
    public let storageClass: String?
}

/// A page of a listing (ListObjectsV2).
public struct S3Page: Sendable, Hashable {
    /// The objects, in order of their keys.
    public internal(set) var objects: [S3Object] = []

    /// The “folders”: the common prefixes of keys up to and including the delimiter.
    public internal(set) var prefixes: [String] = []

    /// The token that continues the listing; nil for the last page.
    public internal(set) var next: String?
}

extension S3Bucket {
    /// Returns the objects of the bucket, in order of their keys. Pages are requested as the loop needs them.
    ///
    ///     for try await object in bucket.list(prefix: "2026/") { print(object.key) }
    ///
    /// - Parameters:
    ///   - prefix: the prefix of the keys; nil, the default, for all keys.
    ///   - startAfter: the key after which the listing begins; nil, the default, for the first.
    ///   - pageSize: the maximum number of objects in a page, 1 to 1,000; nil, the default, for the server's. Values out of range
    ///     are clamped.
    public func list(prefix: String? = nil, startAfter: String? = nil, pageSize: Int? = nil) -> S3ObjectList {
        S3ObjectList(bucket: self, prefix: prefix, startAfter: startAfter, pageSize: pageSize)
    }

    /// Returns one page of the bucket's objects (ListObjectsV2).
    ///
    /// - Parameters:
    ///   - prefix: the prefix of the keys; nil, the default, for all keys.
    ///   - delimiter: the end of a “folder”, usually `/`; deeper keys are then only in ``S3Page/prefixes``. Nil, the default, for
    ///     none.
    ///   - startAfter: the key after which the listing begins; nil, the default, for the first.
    ///   - pageSize: the maximum number of objects in the page, 1 to 1,000; nil, the default, for the server's. Values out of range
    ///     are clamped.
    ///   - continuing: ``S3Page/next`` of the previous page; nil, the default, for the first.
    ///
    /// Throws the server's error, and `decodingFailed` or `limitExceeded` for an invalid listing.
    nonisolated(nonsending) public func page(
        prefix: String? = nil, delimiter: String? = nil, startAfter: String? = nil, pageSize: Int? = nil,
        continuing token: String? = nil
    ) async throws -> S3Page {
        let size = pageSize.map { "\(min(max(1, $0), 1_000))" }
        let url = try url(
            nil,
            [
                ("list-type", "2"), ("encoding-type", "url"), ("prefix", prefix), ("delimiter", delimiter),
                ("start-after", token == nil ? startAfter : nil), ("max-keys", size), ("continuation-token", token),
            ])
        let reply = try await send(.get, url)
        do {
            return try S3XML.page(reply.body)
        } catch {
            var error = error
            error.response = reply.response
            error.requestSent = true
            throw error.at(reply.url)
        }
    }
}

/// The objects of a bucket, as an asynchronous sequence.
public struct S3ObjectList: AsyncSequence, Sendable {
    public typealias Element = S3Object

    let bucket: S3Bucket
    let prefix: String?
    let startAfter: String?
    let pageSize: Int?

    public func makeAsyncIterator() -> Iterator { Iterator(list: self) }

    /// Requests the pages one after another.
    public struct Iterator: AsyncIteratorProtocol {
        /// The maximum number of empty pages in a row.
        private static let maximumEmptyPages = 100

        let list: S3ObjectList
        private var objects: ArraySlice<S3Object> = []
        private var token: String?
        private var hasBegun = false

        init(list: S3ObjectList) { self.list = list }

        /// Returns the next object; nil at the end. Throws the errors of
        /// ``S3Bucket/page(prefix:delimiter:startAfter:pageSize:continuing:)``, and `decodingFailed` if the server repeats a page's
        /// token or sends 100 empty pages in a row.
        public mutating func next() async throws -> S3Object? {
            var empty = 0
            while objects.isEmpty {
                guard token != nil || !hasBegun else { return nil }
                guard empty < Self.maximumEmptyPages else {
                    throw S3XML.malformed("The listing has \(empty) empty pages in a row")
                }
                empty += 1
                let page = try await list.bucket.page(
                    prefix: list.prefix, startAfter: list.startAfter, pageSize: list.pageSize, continuing: token)
                guard page.next == nil || page.next != token else {
                    throw S3XML.malformed("The listing repeats its continuation token")
                }
                hasBegun = true
                objects = page.objects[...]
                token = page.next
            }
            return objects.popFirst()
        }
    }
}
