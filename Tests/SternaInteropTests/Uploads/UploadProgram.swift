import Sterna
import SternaCore
import SternaPlatform
import Testing

/// A server of resumable uploads of others, with a folder of its own.
final class UploadProgram: Sendable {
    enum Kind: Sendable, Hashable, CustomStringConvertible {
        case tuspyserver, drfTus, nio

        var description: String {
            switch self {
            case .tuspyserver: "tuspyserver"
            case .drfTus: "drf-tus"
            case .nio: "NIOUploadServer"
            }
        }

        /// The path under which uploads are created.
        var path: String {
            switch self {
            case .tuspyserver, .drfTus: "/files/"
            case .nio: "/store/"
            }
        }

        /// Whether its tests run: it is there, or has to be because this is CI.
        var mayRun: Bool {
            ChildProcess.mayNotSkip || access(self == .nio ? Self.nioPath : InteropPython.path, X_OK) == 0
        }

        fileprivate static let nioPath = "\(ChildProcess.package)/.build/debug/NIOUploadServer"
    }

    /// That of the suite that is running.
    @TaskLocal static var current: UploadProgram?

    private static let tuspyserver = """
        import sys
        import uvicorn
        from fastapi import FastAPI
        from tuspyserver import create_tus_router

        app = FastAPI()
        app.include_router(create_tus_router(prefix="files", files_dir=sys.argv[1]))
        uvicorn.Server(uvicorn.Config(app, fd=3, log_level="warning")).run()
        """

    private static let drfTus = """
        import sys, types
        import django
        from django.conf import settings

        folder = sys.argv[1]
        settings.configure(
            SECRET_KEY="sterna", ALLOWED_HOSTS=["*"], ROOT_URLCONF="sterna_urls", BASE_DIR=folder, MEDIA_ROOT=folder,
            USE_TZ=True, DEFAULT_AUTO_FIELD="django.db.models.AutoField", DATA_UPLOAD_MAX_MEMORY_SIZE=None,
            INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework", "rest_framework_tus"],
            MIDDLEWARE=["rest_framework_tus.middleware.TusMiddleware"],
            DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": folder + "/db", "OPTIONS": {"timeout": 60}}},
            REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "DEFAULT_PERMISSION_CLASSES": []})
        django.setup()
        from django.core.management import call_command
        from django.core.wsgi import get_wsgi_application
        from django.urls import include, path

        urls = types.ModuleType("sterna_urls")
        urls.urlpatterns = [path("", include("rest_framework_tus.urls", namespace="rest_framework_tus"))]
        sys.modules["sterna_urls"] = urls
        call_command("migrate", verbosity=0)
        import base64, hashlib
        from rest_framework_tus import views
        # The server expects hexadecimal digits, although tus has base64.
        views.checksum_matches = lambda name, text, chunk: base64.b64encode(hashlib.new(name, chunk).digest()).decode() == text
        from gunicorn.app.base import BaseApplication

        class Server(BaseApplication):
            def load_config(self):
                for name, value in dict(
                    bind="fd://3", worker_class="gthread", threads=8, timeout=0, control_socket_disable=True).items():
                    if name in self.cfg.settings:
                        self.cfg.set(name, value)

            def load(self):
                return get_wsgi_application()

        Server().run()
        """

    /// The shell ends the server with all its workers when the other end of its standard input is closed.
    private static let keeper = "\"$@\" & exec 3>&-; cat >/dev/null; kill -KILL 0"

    let kind: Kind
    let url: String
    let folder: String
    private let process: pid_t
    private let lifeline: CInt

    /// Starts a server, and returns once it answers.
    init(_ kind: Kind) async throws {
        guard kind.mayRun else {
            throw ChildProcess.Failure(description: "\(kind) is not there: .ci/run installs it")
        }
        self.kind = kind
        folder = FileManager.default.temporaryDirectory.appending(path: "sterna-\(UInt64.random(in: 0 ... .max))").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let listener = kind == .nio ? nil : try LoopbackListener()
        let port = try listener?.port ?? FreePorts.take(1)[0]
        url = "http://127.0.0.1:\(port)"
        let arguments =
            switch kind {
            case .tuspyserver: [InteropPython.path, "-c", Self.tuspyserver, folder]
            case .drfTus: [InteropPython.path, "-c", Self.drfTus, folder]
            case .nio: [Kind.nioPath, "\(port)", folder]
            }
        let log = open("\(folder)/output.log", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        defer { if log >= 0 { close(log) } }
        (process, lifeline) = try ChildProcess.start(
            ["/bin/sh", "-c", Self.keeper, "sh"] + arguments, inOwnGroup: true
        ) { pipe in
            ([pipe.read, log, log] + (listener.map { [$0.descriptor] } ?? []), pipe.write)
        }
        do {
            try await waitUntilReady()
        } catch {
            await stop()
            throw ChildProcess.Failure(description: "\(kind) did not start: \(error)\n\(complaints)")
        }
    }

    private func waitUntilReady() async throws {
        let session = try Session { ($0.network.engine, $0.retry) = (Engine(), .none) }
        // The sockets of the others listen already, so that their first answer comes once they have started.
        for round in 0..<500 {
            do {
                _ = try await session.get(url)
                return
            } catch let error as SternaError {
                if error.kind == .unacceptableStatus { return }
                guard kind == .nio, error.kind == .connectionFailed, round < 499 else { throw error }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The last that it wrote.
    var complaints: String {
        String(((try? String(contentsOfFile: "\(folder)/output.log", encoding: .utf8)) ?? "").suffix(3_000))
    }

    /// Ends it at once, waits until it is gone, and removes its folder.
    func stop() async {
        close(lifeline)
        _ = await ChildProcess.blocking { [process] in ChildProcess.wait(for: process) }
        try? FileManager.default.removeItem(atPath: folder)
    }
}

/// Runs a suite with a server that is started before its first test and stopped after its last.
struct UploadProgramTrait: SuiteTrait, TestScoping {
    let kind: UploadProgram.Kind

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let program = try await UploadProgram(kind)
        do {
            try await UploadProgram.$current.withValue(program) { try await function() }
        } catch {
            await program.stop()
            throw error
        }
        await program.stop()
    }
}

extension Trait where Self == UploadProgramTrait {
    static func uploads(to kind: UploadProgram.Kind) -> Self { UploadProgramTrait(kind: kind) }
}
