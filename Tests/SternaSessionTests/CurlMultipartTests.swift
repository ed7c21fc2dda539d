import Sterna
import Testing

@testable import SternaTestSupport

@Suite("curl commands: multipart forms")
struct CurlMultipartTests {
    @Test("Parts of secret names are hidden, and shown when asked for; the rest is as it is sent")
    func secrets() throws {
        var form = MultipartForm(boundary: "B")
        form.append("Ada", name: "name")
        form.append("s3cret", name: "user[password]")
        form.append("", name: "token")
        form.append("after", name: "note")
        let draft = RequestDraft.post("http://example.com/", body: try form.body())
        let session = try Session()
        let hidden = try session.curl(for: draft)
        #expect(!hidden.contains("s3cret"))
        for text in ["Ada", "after", "***", "user[password]", "--B--"] { #expect(hidden.contains(text), "\(hidden)") }
        expectEqual(hidden.components(of: "***"), 1)
        #expect(try session.curl(for: draft, showsSecrets: true).contains("s3cret"))
    }

    @Test("Secrets next to large data are hidden, too")
    func pieces() throws {
        var form = MultipartForm(boundary: "B")
        form.append(Bytes(text: "s3cret " + String(repeating: "x", count: 20_000)), name: "password")
        form.append("s3cret", name: "secret")
        form.append("after", name: "note")
        let draft = RequestDraft.post("http://example.com/", body: try form.body())
        let hidden = try Session().curl(for: draft)
        #expect(!hidden.contains("s3cret"))
        #expect(hidden.contains("after"))
    }
}

extension String {
    fileprivate func components(of mark: String) -> Int { ranges(of: mark).count }
}
