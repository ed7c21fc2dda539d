import SternaPlatform

@testable import SternaTestSupport

/// The web-platform-tests data: in the folder STERNA_CONFORMANCE names, else in one beside the package.
enum URLConformanceData {
    static let folder: String? = {
        if let named = ProcessInfo.processInfo.environment["STERNA_CONFORMANCE"] { return exists(named) ? named : nil }
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let beside = root + "/../shared/conformance"
        return exists(beside) ? beside : nil
    }()

    static var isThere: Bool { folder != nil }

    static let hint = """
        The conformance data is not there: set STERNA_CONFORMANCE to its folder, \
        or put it into ../shared/conformance beside the package.
        """

    /// The rows of a file; the comments between them are left out.
    static func rows<Row: Decodable>(_ name: String, of _: Row.Type) throws -> [Row] {
        guard let folder, let data = FileManager.default.contents(atPath: "\(folder)/url/\(name)") else { return [] }
        return try JSONDecoder().decode([RowOrComment<Row>].self, from: data).compactMap(\.row)
    }

    private static func exists(_ folder: String) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/url/urltestdata.json")
    }

    private struct RowOrComment<Row: Decodable>: Decodable {
        var row: Row?

        init(from decoder: any Decoder) throws {
            if (try? decoder.singleValueContainer().decode(String.self)) == nil { row = try Row(from: decoder) }
        }
    }
}

/// A row of urltestdata.json.
struct URLRow: Decodable {
    var input: String
    var base: String?
    var failure: Bool?
    var href: String?
    var origin: String?
    var `protocol`: String?
    var username: String?
    var password: String?
    var host: String?
    var hostname: String?
    var port: String?
    var pathname: String?
    var search: String?
    var hash: String?
}

struct PercentEncodingRow: Decodable {
    var input: String
    var output: [String: String]
}

struct ToASCIIRow: Decodable {
    var input: String
    var output: String?
}
