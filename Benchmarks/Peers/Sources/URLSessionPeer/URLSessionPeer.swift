import BenchKit
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// URLSession without a cache. On Linux it trusts the system's certificates and no others, unless one gets between it and libcurl.
@main
struct URLSessionPeer {
    static func main() async {
        let arguments = Arguments()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = max(8, arguments.concurrency)
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = 600
        let stream = Stream()
        let collects = arguments.work == .get
        let session = URLSession(configuration: configuration, delegate: collects ? nil : stream, delegateQueue: nil)
        guard let url = URL(string: arguments.url) else { return print("no URL") }
        let request: Load.Request = { _ in
            switch arguments.work {
            case .get:
                let (data, response) = try await session.data(for: URLRequest(url: url))
                guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw Refused() }
                return data.count
            case .download:
                return try await stream.finish { session.dataTask(with: url) }
            case .upload:
                var request = URLRequest(url: url)
                request.httpMethod = "PUT"
                request.setValue("", forHTTPHeaderField: "Expect")
                let file = URL(fileURLWithPath: arguments.file)
                _ = try await stream.finish { session.uploadTask(with: request, fromFile: file) }
                return try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
            case .origins, .idle, .save, .events, .messages, .receive, .cookies:
                throw Refused()
            }
        }
        await Load(request: request).run(count: arguments.count, concurrency: arguments.concurrency).printLine()
    }
}

/// Counts the bytes of one task after the other.
final class Stream: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // The session's serial queue alone uses it while a task runs, and who starts one while none runs.
    private var bytes = 0
    private var ending: CheckedContinuation<Int, any Error>?

    func finish(_ make: () -> URLSessionTask) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            ending = continuation
            bytes = 0
            make().resume()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { bytes += data.count }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let waiting = ending
        ending = nil
        if let error {
            waiting?.resume(throwing: error)
        } else if (task.response as? HTTPURLResponse)?.statusCode == 200 {
            waiting?.resume(returning: bytes)
        } else {
            waiting?.resume(throwing: Refused())
        }
    }
}
