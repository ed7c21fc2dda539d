import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Destination of parameters, and the closure that encodes them")
struct ParameterDestinationTests {
    private static let formType = "application/x-www-form-urlencoded"

    private func form(_ destination: ParameterDestination) -> HTTPRequestSerializer {
        var serializer = HTTPRequestSerializer()
        serializer.destination = destination
        return serializer
    }

    private func json(_ destination: ParameterDestination) -> JSONRequestSerializer {
        var serializer = JSONRequestSerializer()
        serializer.destination = destination
        return serializer
    }

    @Test("Into the URL whatever the method is", arguments: AFNetworking4ParityTests.methods)
    func url(method: Request.Method) throws {
        #expect(try Carried(form(.url), method, "https://h/?x", ["a": 1]) == Carried("/?x&a=1"))
        #expect(try Carried(json(.url), method, "https://h/", ["a": 1]) == Carried("/?a=1"))
        #expect(try Carried(form(.url), method, "https://h/", nil) == Carried("/"))
        #expect(try Carried(json(.url), method, "https://h/", [:]) == Carried("/"))
    }

    @Test("Into the body whatever the method is", arguments: AFNetworking4ParityTests.methods)
    func body(method: Request.Method) throws {
        #expect(
            try Carried(form(.body), method, "https://h/?x", ["a": 1])
                == Carried("/?x", body: "a=1", type: Self.formType))
        #expect(
            try Carried(json(.body), method, "https://h/", ["a": 1])
                == Carried("/", body: "{\"a\":1}", type: "application/json"))
    }

    @Test("The set of methods counts only where the method decides")
    func methodSet() throws {
        var serializer = form(.body)
        serializer.queryMethods = [.post]
        #expect(try Carried(serializer, .post, "https://h/", ["a": 1]).body == "a=1")
        serializer.destination = .url
        #expect(try Carried(serializer, .put, "https://h/", ["a": 1]).target == "/?a=1")
        serializer.destination = .method
        #expect(try Carried(serializer, .post, "https://h/", ["a": 1]).target == "/?a=1")
        #expect(try Carried(serializer, .get, "https://h/", ["a": 1]).body == "a=1")
    }

    @Test("TRACE never gets a body", arguments: ParameterDestination.allCases)
    func trace(destination: ParameterDestination) throws {
        #expect(try Carried(form(destination), .trace, "https://h/", ["a": 1]).body == nil)
        #expect(try Carried(form(destination), .trace, "https://h/", nil) == Carried("/"))
        #expect(try Carried(json(destination), .trace, "https://h/", ["a": 1]).body == nil)
    }

    @Test("By method by default")
    func byDefault() {
        expectEqual(HTTPRequestSerializer().destination, .method)
        expectEqual(JSONRequestSerializer().destination, .method)
        expectEqual(HTTPRequestSerializer().queryMethods, [.get, .head, .delete])
        expectEqual(JSONRequestSerializer().queryMethods, [.get, .head, .delete])
    }

    @Test("A closure replaces the encoding of queries and of forms, and receives the request")
    func closure() throws {
        var serializer = HTTPRequestSerializer()
        serializer.queryEncoding = { request, parameters in
            "\(request.method.rawValue)-\(request.url.path)-\(parameters.keys.joined())"
        }
        #expect(try Carried(serializer, .get, "https://h/p?x", ["b": 1, "a": 2]).target == "/p?x&GET-/p-ba")
        #expect(
            try Carried(serializer, .post, "https://h/p", ["b": 1])
                == Carried("/p", body: "POST-/p-b", type: Self.formType))
        var json = JSONRequestSerializer()
        json.queryEncoding = { _, _ in "own" }
        #expect(try Carried(json, .get, "https://h/", ["a": 1]).target == "/?own")
        #expect(try Carried(json, .post, "https://h/", ["a": 1]).body == "{\"a\":1}")
    }

    @Test("Setting a style clears it, even the same style; other settings do not")
    func cleared() throws {
        var serializer = HTTPRequestSerializer()
        serializer.queryEncoding = { _, _ in "own" }
        serializer.headers["X"] = "1"
        serializer.destination = .url
        serializer.properties.timeout = .seconds(1)
        serializer.queryMethods = []
        #expect(try Carried(serializer, .get, "https://h/", ["a": 1]).target == "/?own")
        serializer.style = serializer.style
        expectNil(serializer.queryEncoding)
        #expect(try Carried(serializer, .get, "https://h/", ["a": 1]).target == "/?a=1")
        serializer.queryEncoding = { _, _ in "own" }
        serializer.queryEncoding = nil
        #expect(try Carried(serializer, .get, "https://h/", ["a": 1]).target == "/?a=1")
    }

    private final class Calls: Sendable {
        let parameters = Mutex<[Parameters]>([])
    }

    @Test("A closure is called for parameters, even empty ones, and never for nil")
    func asked() throws {
        let calls = Calls()
        var serializer = HTTPRequestSerializer()
        serializer.queryEncoding = { _, parameters in
            calls.parameters.withLock { $0.append(parameters) }
            return "signed"
        }
        #expect(try Carried(serializer, .get, "https://h/", nil) == Carried("/"))
        #expect(try Carried(serializer, .post, "https://h/", nil) == Carried("/", body: "", type: Self.formType))
        expectEqual(calls.parameters.withLock { $0 }, [])
        #expect(try Carried(serializer, .get, "https://h/", [:]) == Carried("/?signed"))
        #expect(try Carried(serializer, .post, "https://h/", [:]) == Carried("/", body: "signed", type: Self.formType))
        #expect(try Carried(serializer, .get, "https://h/", ["a": 1]) == Carried("/?signed"))
        expectEqual(calls.parameters.withLock { $0 }, [[:], [:], ["a": 1]])
    }

    @Test("A closure's empty text leaves the URL alone and makes an empty form")
    func empty() throws {
        var serializer = HTTPRequestSerializer()
        serializer.queryEncoding = { _, _ in "" }
        #expect(try Carried(serializer, .get, "https://h/p", ["a": 1]) == Carried("/p"))
        #expect(try Carried(serializer, .post, "https://h/p", ["a": 1]) == Carried("/p", body: "", type: Self.formType))
    }

    static let hostile: [(String, String)] = [
        ("a b", "/?a%20b"), ("a#b", "/?a%23b"), ("é", "/?%C3%A9"), ("a\r\nHost: x", "/?a%0D%0AHost:%20x"),
    ]

    @Test("What a closure makes cannot leave the query", arguments: hostile)
    func closureText(text: String, target: String) throws {
        var serializer = HTTPRequestSerializer()
        serializer.queryEncoding = { _, _ in text }
        let carried = try Carried(serializer, .get, "https://h/", ["a": 1])
        expectEqual(carried.target, target)
    }
}
