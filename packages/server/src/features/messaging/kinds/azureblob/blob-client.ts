import { AsyncLocalStorage } from 'node:async_hooks'
import type { Readable } from 'node:stream'
import type { HttpHeaders, IHttpClient, RequestPolicyFactory, StoragePipelineOptions } from '@azure/storage-blob'
import { silenceAzure } from '../azure-log.ts'
import type { createCalls, HttpAnswer } from '../http-calls.ts'
import type { SizedBody } from '../streamed-body.ts'
import { type AzureBlobSettings, blobUrl } from './settings.ts'

type Call = ReturnType<typeof createCalls>

/** Of one operation: the calls of its `send`, and the last answer. */
interface Exchange {
  call: Call
  answer?: HttpAnswer
}

const exchanges = new AsyncLocalStorage<Exchange>()

/** An answer that is not `201`. The client does not get it: it would follow redirects and parse any XML. */
class NotCreated extends Error {
  override name = 'NotCreated'
}

/** Sends the requests of the client by the calls of one `send`: with the address guard, its deadline and its limit. */
const httpClient: IHttpClient = {
  async sendRequest(request) {
    const exchange = exchanges.getStore()
    if (exchange === undefined) throw new TypeError('A request of no operation.')
    // Without what the client says of this machine.
    const { 'user-agent': _, ...headers } = request.headers.toJson()
    const body = bodyOf(request.body, Number(headers['content-length']))
    exchange.answer = await exchange.call({ method: 'PUT', url: new URL(request.url), headers, body })
    const { status } = exchange.answer
    if (status !== 201) throw new NotCreated()
    return { request, status, headers: { toJson: () => ({}) } as HttpHeaders }
  },
}

/** Blocks are streams that a function opens. */
function bodyOf(body: Buffer | string | (() => Readable), bytes: number): Buffer | string | SizedBody {
  return typeof body === 'function' ? { bytes, read: body } : body
}

/** Newer versions add nothing that is used here, and clouds of governments and emulators get them later. */
const version = '2021-12-02'

const withVersion: RequestPolicyFactory = {
  create: (next) => ({
    sendRequest(request) {
      request.headers.set('x-ms-version', version)
      return next.sendRequest(request)
    },
  }),
}

/** Loads the client, and returns what makes one for each blob. All share the pipeline of their requests. */
export async function openBlobs(settings: AzureBlobSettings) {
  const { BlockBlobClient, Pipeline, StorageSharedKeyCredential } = await import('@azure/storage-blob')
  await silenceAzure()
  const options: StoragePipelineOptions = {
    httpClient,
    retryOptions: { maxTries: 1 },
    // Keeps the client from reading HTTPS_PROXY. Nothing is sent there.
    proxyOptions: { host: 'http://proxy.invalid', port: 80 },
  }
  const credential = new StorageSharedKeyCredential(settings.account, settings.accessKey)
  const pipeline = new Pipeline([credential, withVersion], options)
  return (key: string) => new BlockBlobClient(blobUrl(settings, key).href, pipeline)
}

/**
 * Runs an operation of the client.
 *
 * @returns the last answer: `201` only if every request of the operation got it
 * @throws OutboundError if there was no answer
 */
export async function answerOf(call: Call, operation: () => Promise<unknown>): Promise<HttpAnswer> {
  const exchange: Exchange = { call }
  try {
    await exchanges.run(exchange, operation)
  } catch (error) {
    if (!(error instanceof NotCreated)) throw error
  }
  if (exchange.answer === undefined) throw new TypeError('The client sent no request.')
  return exchange.answer
}
