import { awsClientConfig } from '../aws-client.ts'
import { bytesOf, isStreamed, type StreamedBody } from '../streamed-body.ts'
import { objectUrl, type S3Settings } from './settings.ts'

export type S3 = Awaited<ReturnType<typeof createS3>>

/** Creates a client for one bucket, and returns it with its library. */
export async function createS3(settings: S3Settings) {
  const library = await import('@aws-sdk/client-s3')
  const { region } = settings
  const url = objectUrl(settings, '')
  const client = new library.S3Client({
    ...awsClientConfig(url, region, settings),
    // The rules of the client would choose a host and a way to sign by the name of the bucket.
    endpointProvider: () => ({ url: new URL(url.href.replace(/\/$/, '')) }),
    httpAuthSchemeProvider: () => [
      {
        schemeId: 'aws.auth#sigv4',
        signingProperties: { signingName: 's3', signingRegion: region },
        propertiesExtractor: (config, context) => ({ signingProperties: { config, context } }),
      },
    ],
    // Compatible services do not know the checksums that are newer than the hash of the signature.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    disableS3ExpressSessionAuth: true,
    useArnRegion: false,
  })
  // The client leaves a body that it cannot read out of the signature.
  client.middlewareStack.add(
    (next) => (args) => {
      const { Body } = args.input as { Body?: Buffer | StreamedBody }
      const { headers } = args.request as { headers: Record<string, string> }
      if (isStreamed(Body)) headers['x-amz-content-sha256'] = Body.sha256
      return next(args)
    },
    { step: 'build' },
  )
  return { library, client }
}

/** The body of a request, as the request handler reads it. */
export function contentOf(body: Buffer | StreamedBody) {
  return { Body: body as Buffer, ContentLength: bytesOf(body) }
}
