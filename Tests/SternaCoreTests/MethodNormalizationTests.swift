import HTTPTypes
import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Methods in any case")
struct MethodNormalizationTests {
    static let names: [(String, String)] = [
        ("get", "GET"), ("Get", "GET"), ("gET", "GET"), ("GET", "GET"), ("head", "HEAD"), ("post", "POST"),
        ("put", "PUT"), ("delete", "DELETE"), ("options", "OPTIONS"), ("patch", "PATCH"), ("trace", "TRACE"),
        ("connect", "CONNECT"), ("purge", "purge"), ("PROPFIND", "PROPFIND"), ("getx", "getx"), ("query", "query"),
    ]

    @Test("Standard methods are in upper case, others as they are", arguments: names)
    func normalized(name: String, sent: String) throws {
        let method = try #require(HTTPRequest.Method(name))
        expectEqual(method.normalized.rawValue, sent)
        var request = Request(method, try HTTPURL("https://h/"))
        expectEqual(request.method.rawValue, sent)
        request.method = try #require(HTTPRequest.Method("OTHER"))
        request.method = method
        expectEqual(request.method.rawValue, sent)
    }
}
