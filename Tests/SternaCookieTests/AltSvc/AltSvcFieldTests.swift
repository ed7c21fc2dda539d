import HTTPTypes
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Alt-Svc: the field (RFC 7838, 3)")
struct AltSvcFieldTests {
    private static func shown(_ lines: [String]) -> String {
        switch AltSvcField(lines) {
        case nil: "invalid"
        case .clear: "clear"
        case .services(let services):
            services.map { "\($0) \($0.maxAge)\($0.persists ? " persists" : "")" }.joined(separator: ", ")
        }
    }

    @Test(
        "Valid fields are read",
        arguments: [
            (#"h3=":443""#, "h3=:443 86400"),
            (#"h2="alt.example.com:8000""#, "h2=alt.example.com:8000 86400"),
            (#"h3="Alt.Example.COM:1"; ma=60; persist=1"#, "h3=alt.example.com:1 60 persists"),
            (#"h3=":443";ma="60";persist="1""#, "h3=:443 60 persists"),
            (#"h3=":443" ; MA=60 ;x=y;z="a,b;\"""#, "h3=:443 60"),
            (#"h3=":443"; ma=0"#, "h3=:443 0"),
            (#"h3=":443"; ma=99999999999999999999"#, "h3=:443 2147483647"),
            // Values other than 1 are ignored.
            (#"h3=":443"; persist=2"#, "h3=:443 86400"),
            (#"h3=":443", h2="a:80",, ,h2=":80""#, "h3=:443 86400, h2=a:80 86400, h2=:80 86400"),
            (#"h3="[::1]:443""#, "h3=[::1]:443 86400"),
            (#"h3="[0:0::1]:443""#, "h3=[::1]:443 86400"),
            (#"h3="10.0.0.1:443""#, "h3=10.0.0.1:443 86400"),
            (#"w%3Dx%3Ay#z=":1""#, "w=x:y#z=:1 86400"),
            (#"x%25y=":1""#, "x%y=:1 86400"),
            ("clear", "clear"), (" clear ", "clear"),
            // Such a field is invalid, and it says that the origin has no alternatives.
            (#"h3=":443", clear"#, "clear"), (#"clear, h3=":443""#, "clear"),
            (#"clear=":443""#, "clear=:443 86400"),
        ])
    func valid(text: String, expected: String) { expectEqual(Self.shown([text]), expected) }

    @Test(
        "Invalid fields are ignored as a whole",
        arguments: [
            "", ",", "h3", "Clear", "CLEAR", "clear; ma=1", "h3=", "h3=:443", "h3=443", #"h3="443""#, #"h3=":""#,
            #"h3="a:""#, #"h3=":0""#, #"h3=":65536""#, #"h3=":000443""#, #"h3=":+1""#, #"h3=": 1""#, #"h3=":1 ""#,
            #"h3="[fe80::1%25eth0]:443""#, #"h3="::1:443""#, #"h3="[::1:443""#, #"h3="a b:1""#, #"h3="u@h:1""#,
            #"h3="a/b:1""#, #"h3="h?x:1""#,
            #"h3 =":1""#, #"h3= ":1""#, #"h3=":1"#, #"h3=":1\"#, #"="a:1""#, #""h3"=":1""#,
            // Only bytes that a token cannot have are encoded, in upper case (3).
            #"h%33=":1""#, #"h%3d=":1""#, #"h%=":1""#, #"h%3=":1""#, #"h%GG=":1""#, #"h%FF=":1""#,
            #"h3=":1";ma"#, #"h3=":1";ma="#, #"h3=":1";ma=-1"#, #"h3=":1";ma=1.5"#, #"h3=":1";ma=x"#,
            #"h3=":1";ma=1;ma=1"#, #"h3=":1";ma=1;MA=1"#, #"h3=":1"; ma = 1"#, #"h3=":1";"#, #"h3=":1";=1"#,
            #"h3=":1" h2=":1""#, #"h3=":1", h2"#, #"h3=":1"; x="y"#, "h3=\":1\"; x=\"\u{1}\"", "é=\":1\"",
        ])
    func invalid(text: String) { expectEqual(Self.shown([text]), "invalid") }

    @Test("All lines are read together, and one invalid line invalidates them") func lines() {
        expectEqual(Self.shown([#"h3=":1""#, #"h2=":2""#]), "h3=:1 86400, h2=:2 86400")
        expectEqual(Self.shown([#"h3=":1""#, "clear"]), "clear")
        expectEqual(Self.shown([#"h3=":1""#, "x"]), "invalid")
        expectEqual(Self.shown([]), "invalid")
    }

    @Test("The number of alternatives and all lengths have limits") func limits() {
        let many = Array(repeating: #"h3=":1""#, count: 33)
        #expect(AltSvcField(Array(many.prefix(32))) != nil)
        expectNil(AltSvcField(many))
        expectNil(AltSvcField([#"h3=":1""# + String(repeating: ",", count: 8_200)]))
        #expect(AltSvcField([String(repeating: "a", count: 255) + #"=":1""#]) != nil)
        expectNil(AltSvcField([String(repeating: "a", count: 256) + #"=":1""#]))
    }

    @Test("A response lists its alternative services") func response() throws {
        func response(_ value: String?) throws -> Response {
            var headers = HTTPFields()
            if let value, let name = HTTPField.Name("alt-svc") { headers[name] = value }
            return Response(status: .ok, section: FieldSection(headers), url: try HTTPURL("https://example.com/"))
        }
        let service = try #require(try response(#"h3=":443"; ma=60; persist=1"#).alternativeServices.first)
        #expect(service.protocolName == "h3" && service.host == nil && service.port == 443)
        #expect(service.maxAge == 60 && service.persists && "\(service)" == "h3=:443")
        #expect(try response("clear").alternativeServices.isEmpty)
        #expect(try response("broken").alternativeServices.isEmpty)
        #expect(try response(nil).alternativeServices.isEmpty)
    }
}
