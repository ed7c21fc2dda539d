public import Sterna

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// Foundation's requests, sent as they are: the session adds no header fields, credentials or base URL, and its response serializer
/// judges the response. See ``SternaCore/Request/init(_:)`` for what a request takes over, and for the errors thrown.
extension Session {
    /// Makes a task that sends a request of Foundation's and collects the response in memory.
    public func dataTask(_ request: URLRequest) throws(SternaError) -> DataTask {
        dataTask(try Request(request))
    }

    /// Makes a task that sends a request of Foundation's with a body and collects the response in memory.
    public func uploadTask(_ request: URLRequest) throws(SternaError) -> UploadTask {
        uploadTask(try Request(request))
    }

    /// Makes a task that sends a request of Foundation's, and whose response is read while it arrives.
    public func streamTask(_ request: URLRequest) throws(SternaError) -> DataStreamTask {
        streamTask(try Request(request))
    }

    /// Makes a task that saves the response to a request of Foundation's to a file.
    public func downloadTask(
        _ request: URLRequest, to destination: DownloadDestination, options: DownloadOptions = DownloadOptions()
    ) throws(SternaError) -> DownloadTask {
        downloadTask(try Request(request), to: destination, options: options)
    }

    /// Sends a request of Foundation's and collects the response; throws if the response serializer does not accept it.
    @discardableResult
    nonisolated(nonsending) public func send(_ request: URLRequest) async throws -> Reply {
        try await send(try Request(request))
    }
}
