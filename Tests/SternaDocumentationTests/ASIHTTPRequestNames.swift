/// The public names of ASIHTTPRequest 1.8 by header; of NSOperationQueue those that ASINetworkQueue is used with. Lines with # are headers.
enum ASIHTTPRequestNames {
    static let text = #"""
        # ASIHTTPRequest.h: constants and types
        ASIHTTPRequestVersion ASIAuthenticationState ASINoAuthenticationNeededYet ASIHTTPAuthenticationNeeded
        ASIProxyAuthenticationNeeded ASINetworkErrorType ASIConnectionFailureErrorType
        ASIRequestTimedOutErrorType ASIAuthenticationErrorType ASIRequestCancelledErrorType
        ASIUnableToCreateRequestErrorType ASIInternalErrorWhileBuildingRequestType
        ASIInternalErrorWhileApplyingCredentialsType ASIFileManagementError ASITooMuchRedirectionErrorType
        ASIUnhandledExceptionError ASICompressionError NetworkRequestErrorDomain ASIHTTPRequestRunLoopMode
        ASIWWANBandwidthThrottleAmount ASIBasicBlock ASIHeadersBlock ASISizeBlock ASIProgressBlock ASIDataBlock
        # ASIHTTPRequest.h: methods
        initWithURL: requestWithURL: requestWithURL:usingCache: requestWithURL:usingCache:andCachePolicy:
        setStartedBlock: setHeadersReceivedBlock: setCompletionBlock: setFailedBlock: setBytesReceivedBlock:
        setBytesSentBlock: setDownloadSizeIncrementedBlock: setUploadSizeIncrementedBlock: setDataReceivedBlock:
        setAuthenticationNeededBlock: setProxyAuthenticationNeededBlock: setRequestRedirectedBlock:
        addRequestHeader:value: applyCookieHeader buildRequestHeaders applyAuthorizationHeader buildPostBody
        appendPostData: appendPostDataFromFile: responseString responseData isResponseCompressed
        startSynchronous startAsynchronous cancel clearDelegatesAndCancel copyWithZone: HEADRequest
        updateProgressIndicators updateUploadProgress updateDownloadProgress removeUploadProgressSoFar
        incrementDownloadSizeBy: incrementUploadSizeBy: requestStarted requestReceivedResponseHeaders:
        requestFinished failWithError: retryUsingNewConnection redirectToURL: readResponseHeaders
        parseStringEncodingFromHeaders applyCredentials: applyProxyCredentials: findCredentials
        findProxyCredentials retryUsingSuppliedCredentials cancelAuthentication
        attemptToApplyCredentialsAndResume attemptToApplyProxyCredentialsAndResume showProxyAuthenticationDialog
        showAuthenticationDialog addBasicAuthenticationHeaderWithUsername:andPassword: handleNetworkEvent:
        handleBytesAvailable handleStreamComplete handleStreamError markAsFinished removeTemporaryDownloadFile
        removeTemporaryUncompressedDownloadFile removeTemporaryUploadFile removeTemporaryCompressedUploadFile
        connectionID setClientCertificateIdentity: findSessionProxyAuthenticationCredentials
        findSessionAuthenticationCredentials saveCredentialsToKeychain: performThrottling
        # ASIHTTPRequest.h: class methods
        updateProgressIndicator:withProgress:ofTotal: performSelector:onTarget:withObject:amount:callerToRetain:
        parseMimeType:andResponseEncoding:fromContentType: removeFileAtPath:error: expirePersistentConnections
        defaultTimeOutSeconds setDefaultTimeOutSeconds: sessionProxyCredentialsStore sessionCredentialsStore
        storeProxyAuthenticationCredentialsInSessionStore: storeAuthenticationCredentialsInSessionStore:
        removeProxyAuthenticationCredentialsFromSessionStore: removeAuthenticationCredentialsFromSessionStore:
        saveCredentials:forHost:port:protocol:realm: saveCredentials:forProxy:port:realm:
        savedCredentialsForHost:port:protocol:realm: savedCredentialsForProxy:port:protocol:realm:
        removeCredentialsForHost:port:protocol:realm: removeCredentialsForProxy:port:realm: setSessionCookies:
        sessionCookies addSessionCookie: clearSession defaultUserAgentString setDefaultUserAgentString:
        mimeTypeForFileAtPath: maxBandwidthPerSecond setMaxBandwidthPerSecond: averageBandwidthUsedPerSecond
        isBandwidthThrottled incrementBandwidthUsedInLastSecond: setShouldThrottleBandwidthForWWAN:
        throttleBandwidthForWWANUsingLimit: isNetworkReachableViaWWAN sharedQueue setDefaultCache: defaultCache
        maxUploadReadLength isNetworkInUse setShouldUpdateNetworkActivityIndicator: showNetworkActivityIndicator
        hideNetworkActivityIndicator base64forData: expiryDateForRequest:maxAge: dateFromRFC1123String:
        isMultitaskingSupported threadForRequest:
        # ASIHTTPRequest.h: properties
        username password userAgentString domain proxyUsername proxyPassword proxyDomain proxyHost proxyPort
        proxyType url originalURL redirectURL delegate queue uploadProgressDelegate downloadProgressDelegate
        useKeychainPersistence useSessionPersistence downloadDestinationPath temporaryFileDownloadPath
        temporaryUncompressedDataDownloadPath didStartSelector didReceiveResponseHeadersSelector
        willRedirectSelector didFinishSelector didFailSelector didReceiveDataSelector authenticationRealm
        proxyAuthenticationRealm error complete responseHeaders requestHeaders requestCookies responseCookies
        useCookiePersistence requestCredentials proxyCredentials responseStatusCode responseStatusMessage
        rawResponseData timeOutSeconds requestMethod postBody contentLength postLength
        shouldResetDownloadProgress shouldResetUploadProgress mainRequest showAccurateProgress totalBytesRead
        totalBytesSent defaultResponseEncoding responseEncoding allowCompressedResponse
        allowResumeForFileDownloads userInfo tag postBodyFilePath shouldStreamPostDataFromDisk
        didCreateTemporaryPostDataFile useHTTPVersionOne partialDownloadSize shouldRedirect redirectCount
        validatesSecureCertificate shouldCompressRequestBody PACurl authenticationScheme
        proxyAuthenticationScheme shouldPresentAuthenticationDialog shouldPresentProxyAuthenticationDialog
        authenticationNeeded shouldPresentCredentialsBeforeChallenge authenticationRetryCount
        proxyAuthenticationRetryCount haveBuiltRequestHeaders haveBuiltPostBody inProgress
        numberOfTimesToRetryOnTimeout retryCount shouldAttemptPersistentConnection
        persistentConnectionTimeoutSeconds shouldUseRFC2616RedirectBehaviour connectionCanBeReused requestID
        runLoopMode downloadCache cachePolicy cacheStoragePolicy didUseCachedResponse secondsToCache
        clientCertificates shouldContinueWhenAppEntersBackground dataDecompressor
        shouldWaitToInflateCompressedResponses
        # ASIHTTPRequestDelegate.h
        ASIHTTPRequestDelegate requestStarted: request:didReceiveResponseHeaders: request:willRedirectToURL:
        requestFinished: requestFailed: requestRedirected: request:didReceiveData:
        authenticationNeededForRequest: proxyAuthenticationNeededForRequest:
        # ASIProgressDelegate.h
        ASIProgressDelegate setProgress: setDoubleValue: setMaxValue: request:didReceiveBytes:
        request:didSendBytes: request:incrementDownloadSizeBy: request:incrementUploadSizeBy:
        # ASIHTTPRequestConfig.h
        DEBUG_REQUEST_STATUS DEBUG_FORM_DATA_REQUEST DEBUG_THROTTLING DEBUG_PERSISTENT_CONNECTIONS
        DEBUG_HTTP_AUTHENTICATION
        # ASIFormDataRequest.h
        ASIFormDataRequest ASIPostFormat ASIMultipartFormDataPostFormat ASIURLEncodedPostFormat encodeURL:
        addPostValue:forKey: setPostValue:forKey: addFile:forKey: addFile:withFileName:andContentType:forKey:
        setFile:forKey: setFile:withFileName:andContentType:forKey: addData:forKey:
        addData:withFileName:andContentType:forKey: setData:forKey: setData:withFileName:andContentType:forKey:
        postFormat stringEncoding
        # ASINetworkQueue.h
        addHEADOperation: reset go requestDidStartSelector requestDidReceiveResponseHeadersSelector
        requestWillRedirectSelector requestDidFinishSelector requestDidFailSelector queueDidFinishSelector
        shouldCancelAllRequestsOnFailure requestsCount bytesUploadedSoFar totalBytesToUpload
        bytesDownloadedSoFar totalBytesToDownload addOperation: addOperations:waitUntilFinished:
        waitUntilAllOperationsAreFinished cancelAllOperations maxConcurrentOperationCount isSuspended operations
        operationCount
        # ASICacheDelegate.h
        ASICacheDelegate ASICachePolicy ASIUseDefaultCachePolicy ASIDoNotReadFromCacheCachePolicy
        ASIDoNotWriteToCacheCachePolicy ASIAskServerIfModifiedWhenStaleCachePolicy
        ASIAskServerIfModifiedCachePolicy ASIOnlyLoadIfNotCachedCachePolicy ASIDontLoadCachePolicy
        ASIFallbackToCacheIfLoadFailsCachePolicy ASICacheStoragePolicy
        ASICacheForSessionDurationCacheStoragePolicy ASICachePermanentlyCacheStoragePolicy defaultCachePolicy
        updateExpiryForRequest:maxAge: canUseCachedDataForRequest: removeCachedDataForRequest:
        isCachedDataCurrentForRequest: storeResponseForRequest:maxAge: removeCachedDataForURL:
        cachedResponseHeadersForURL: cachedResponseDataForURL: pathToCachedResponseDataForURL:
        pathToCachedResponseHeadersForURL: pathToStoreCachedResponseHeadersForRequest:
        pathToStoreCachedResponseDataForRequest: clearCachedResponsesForStoragePolicy:
        # ASIDownloadCache.h
        ASIDownloadCache sharedCache serverAllowsResponseCachingForRequest: fileExtensionsToHandleAsHTML
        storagePath accessLock shouldRespectCacheControlHeaders
        # ASIDataCompressor.h, ASIDataDecompressor.h, ASIInputStream.h
        ASIDataCompressor compressor compressBytes:length:error:shouldFinish: compressData:error:
        compressDataFromFile:toFile:error: setupStream closeStream streamReady ASIDataDecompressor decompressor
        uncompressBytes:length:error: uncompressData:error: uncompressDataFromFile:toFile:error: ASIInputStream
        inputStreamWithFileAtPath:request: inputStreamWithData:request: stream request
        # ASIAuthenticationDialog.h
        ASIAuthenticationDialog ASIAuthenticationType ASIStandardAuthenticationType ASIProxyAuthenticationType
        ASIAutorotatingViewController presentAuthenticationDialogForRequest: dismiss type
        didEnableRotationNotifications presentingController
        # ASIS3Request.h
        ASIS3Request ASIS3AccessPolicyPrivate ASIS3AccessPolicyPublicRead ASIS3AccessPolicyPublicReadWrite
        ASIS3AccessPolicyAuthenticatedRead ASIS3AccessPolicyBucketOwnerRead
        ASIS3AccessPolicyBucketOwnerFullControl ASIS3RequestSchemeHTTP ASIS3RequestSchemeHTTPS ASIS3ErrorType
        ASIS3ResponseParsingFailedType ASIS3ResponseErrorType setDate: S3Headers
        stringToSignForHeaders:resource: parseResponseXML sharedAccessKey setSharedAccessKey:
        sharedSecretAccessKey setSharedSecretAccessKey: S3ResponseDateFormatter S3RequestDateFormatter
        stringByURLEncodingForS3Path: S3Host buildURL dateString accessKey secretAccessKey accessPolicy
        currentXMLElementContent currentXMLElementStack requestScheme
        # ASIS3ObjectRequest.h
        ASIS3ObjectRequest ASIS3StorageClassStandard ASIS3StorageClassReducedRedundancy requestWithBucket:key:
        requestWithBucket:key:subResource: PUTRequestForFile:withBucket:key: PUTRequestForData:withBucket:key:
        DELETERequestWithBucket:key: COPYRequestFromBucket:key:toBucket:key: HEADRequestWithBucket:key: bucket
        key sourceBucket sourceKey mimeType subResource storageClass useServerSideEncryption
        # ASIS3BucketRequest.h, ASIS3BucketObject.h
        ASIS3BucketRequest requestWithBucket: requestWithBucket:subResource: PUTRequestWithBucket:
        DELETERequestWithBucket: requestForNextChunk prefix marker nextMarker maxResultCount delimiter objects
        commonPrefixes isTruncated ASIS3BucketObject objectWithBucket: GETRequest PUTRequestWithFile:
        DELETERequest lastModified ETag size
        # ASIS3ServiceRequest.h, ASIS3Bucket.h, ASINSXMLParserCompat.h
        ASIS3ServiceRequest serviceRequest buckets ASIS3Bucket bucketWithOwnerID:ownerName: name creationDate
        ownerID ownerName ASINSXMLParserCompat NSXMLParserDelegate
        # ASIWebPageRequest.h
        ASIWebPageRequest ASIWebContentType ASINotParsedWebContentType ASIHTMLWebContentType ASICSSWebContentType
        ASIURLReplacementMode ASIDontModifyURLs ASIReplaceExternalResourcesWithData
        ASIReplaceExternalResourcesWithLocalURLs externalResourceQueue resourceList parentRequest
        urlReplacementMode setUrlReplacementMode: shouldIgnoreExternalResourceErrors webContentType
        # CloudFiles: classes alone
        ASICloudFilesRequest ASICloudFilesContainerRequest ASICloudFilesContainer
        ASICloudFilesContainerXMLParserDelegate ASICloudFilesObjectRequest ASICloudFilesObject
        ASICloudFilesCDNRequest
        """#
}
