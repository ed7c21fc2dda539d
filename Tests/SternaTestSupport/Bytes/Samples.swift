/// Files and fields that both a format's own tests and its mutation test read.
enum Samples {
    static let hstsFile = """
        {"version": 1, "hosts": [
          {"host": "example.com", "includeSubDomains": true, "expires": 1798761600000, "updated": 1767225600000},
          {"host": "xn--bcher-kva.example", "includeSubDomains": false, "expires": 1798761600000, "updated": 0},
          {"updated": 1767225600000, "host": "example.org", "removed": true, "expires": 1801785600000}
        ]}
        """

    static let credentialFile = """
        {"version": 1, "credentials": [
          {"origin": "https://a.test", "realm": "Staff “1”", "user": "ada", "password": "s3cret"},
          {"origin": "http://127.0.0.1:8080", "token": "t0ken"},
          {"origin": "https://[::1]", "realm": "", "user": "", "password": ""}
        ]}
        """

    static let resumeData = #"""
        {"version":1,"url":"https://example.com/a?token=s3cret&x=1","validator":{"etag":"\"a\\b\""},"length":100,\#
        "ranges":[[0,10],[20,100]],"partial":"/t/ä.sterna-part","destination":"/t/ä"}
        """#

    /// Digests of the representation in RFC 9530's examples.
    static let sha256 = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg="
    static let sha512 =
        "YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg=="
}
