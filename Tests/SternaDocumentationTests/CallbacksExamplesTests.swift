import Dispatch
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// The examples of docs/Callbacks.md, so that they compile and do what it says.
@Suite("Examples: callbacks and curl")
struct CallbacksExamplesTests {
    @Test("Each verb has a form with callbacks")
    func callbacks() async throws {
        let (api, mock) = try mocked(by: MockTransport { _ in .json(["name": "Ada"]) }) {
            $0.callbacks = .queue(.global())
        }

        let task = api.get(
            "users/1", parameters: ["full": true], progress: { task, progress in print(progress) },
            success: { task, value in print(value["name"].string ?? "") },
            failure: { task, error in print(error.message) })
        task?.cancel()

        #expect(task?.originalRequest?.url.query == "full=1")
        let name = try await withCheckedThrowingContinuation { continuation in
            api.get(
                "users/1", success: { _, value in continuation.resume(returning: value["name"].string) },
                failure: { _, error in continuation.resume(throwing: error) })
        }
        #expect(name == "Ada")
        #expect(mock.requests.count <= 2)
    }

    @Test("A request as a command line")
    func curl() throws {
        let (api, _) = try mocked { $0.auth.header = .bearer("sesame") }

        print(try api.curl(for: .get("users/1")))  // the request as a command line, credentials shown as ***

        let text = try api.curl(for: .get("users/1"))
        #expect(text.hasPrefix("curl "))
        #expect(text.contains("***"))
        #expect(!text.contains("sesame"))
    }
}
