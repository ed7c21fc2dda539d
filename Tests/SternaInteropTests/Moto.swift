import Sterna
import SternaPlatform
import SternaSigning

/// A moto of PyPI, which plays services of AWS, on a free port of the loopback; it checks signatures and permissions after three
/// requests, which make a user with an access key.
final class Moto: Sendable {
    /// That of the suite that is running.
    @TaskLocal static var current: Moto?

    let url: String
    let credentials: AWSCredentials
    private let process: pid_t
    private let lifeline: CInt

    private static let server = """
        from werkzeug.serving import make_server
        from moto.server import DomainDispatcherApplication, create_backend_app

        make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True, fd=3).serve_forever()
        """

    /// The shell ends the server when the other end of its standard input is closed.
    private static let keeper = "\"$0\" -c \"$1\" & exec 3>&-; cat >/dev/null; kill -KILL 0"

    init() async throws {
        guard access(InteropPython.path, X_OK) == 0 else {
            throw ChildProcess.Failure(description: "moto is not there: .ci/interop-servers installs it")
        }
        let listener = try LoopbackListener()
        let url = "http://127.0.0.1:\(listener.port)"
        let log = open(
            "\(ChildProcess.package)/.build/interop/moto.log", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        defer { if log >= 0 { close(log) } }
        let (process, lifeline) = try ChildProcess.start(
            ["/bin/sh", "-c", Self.keeper, InteropPython.path, Self.server],
            environment: ["INITIAL_NO_AUTH_ACTION_COUNT": "3"], inOwnGroup: true
        ) { pipe in
            ([pipe.read, log, log, listener.descriptor], pipe.write)
        }
        do {
            credentials = try await Self.makeUser(url)
        } catch {
            close(lifeline)
            _ = await ChildProcess.blocking { ChildProcess.wait(for: process) }
            let text =
                (try? String(contentsOfFile: "\(ChildProcess.package)/.build/interop/moto.log", encoding: .utf8)) ?? ""
            throw ChildProcess.Failure(description: "moto did not start: \(error)\n\(text.suffix(2_000))")
        }
        (self.url, self.process, self.lifeline) = (url, process, lifeline)
    }

    /// Makes a user who may do everything, with an access key.
    private static func makeUser(_ url: String) async throws -> AWSCredentials {
        let iam = try Session(baseURL: url) { settings in
            settings.network.engine = Engine()
            settings.auth.awsSigning = AWSSigning(
                region: "us-east-1", service: "iam", credentials: AWSCredentials(accessKey: "NONE", secretKey: "none"))
            settings.responseSerializer = .text
        }
        try await iam.post("", parameters: ["Version": "2010-05-08", "Action": "CreateUser", "UserName": "ada"])
        let answer = try await iam.post(
            "", parameters: ["Version": "2010-05-08", "Action": "CreateAccessKey", "UserName": "ada"]
        ).text()
        let policy = #"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}"#
        try await iam.post(
            "",
            parameters: [
                "Version": "2010-05-08", "Action": "PutUserPolicy", "UserName": "ada", "PolicyName": "all",
                "PolicyDocument": policy,
            ])
        guard let key = element("AccessKeyId", answer), let secret = element("SecretAccessKey", answer) else {
            throw ChildProcess.Failure(description: "moto made no access key: \(answer)")
        }
        return AWSCredentials(accessKey: key, secretKey: secret)
    }

    private static func element(_ name: String, _ text: String) -> String? {
        guard let start = text.firstRange(of: "<\(name)>"), let end = text.firstRange(of: "</\(name)>"),
            start.upperBound <= end.lowerBound
        else { return nil }
        return String(text[start.upperBound..<end.lowerBound])
    }

    /// Ends it at once, and waits until it is gone.
    func stop() async {
        close(lifeline)
        _ = await ChildProcess.blocking { [process] in ChildProcess.wait(for: process) }
    }
}
