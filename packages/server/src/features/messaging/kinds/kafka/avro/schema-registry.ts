import { createHash } from 'node:crypto'
import { createCalls, type HttpAnswer, jsonOf, notDelivered } from '../../http-calls.ts'
import type { SenderServices, SendOptions, SendResult } from '../../kind.ts'
import { urlBelow } from '../../url-below.ts'
import { type AvroSettings, registryCredentials } from '../settings.ts'

/** The registry did not give what a message needs. */
export class RegistryRefusal extends Error {
  override name = 'RegistryRefusal'
  readonly result: SendResult
  constructor(result: SendResult) {
    super(result.error)
    this.result = result
  }
}

const mediaType = 'application/vnd.schemaregistry.v1+json'
/** A registry may take half of the time of a call, so that brokers have the other half. */
const timeShare = 0.5
const schemaBytesMax = 2 ** 20

export interface RegisteredSchema {
  id: number
  schema: string
}

/** Calls the API of a schema registry: that of Confluent, which others have, too. */
export class SchemaRegistry {
  readonly #settings: AvroSettings
  readonly #call: ReturnType<typeof createCalls>
  readonly #time: Date

  constructor(settings: AvroSettings, services: SenderServices, { time, timeoutMs, signal }: SendOptions) {
    this.#settings = settings
    this.#call = createCalls(services, { timeoutMs: timeoutMs * timeShare, signal })
    this.#time = time
  }

  /** Returns the newest schema of a subject. Undefined if it has none. @throws RegistryRefusal, OutboundError */
  async latest(subject: string): Promise<RegisteredSchema | undefined> {
    const url = this.#url('subjects', subject, 'versions', 'latest')
    const answer = await this.#call({ method: 'GET', url, headers: this.#headers() })
    const body = jsonOf(answer)
    // 40401: no such subject. 40402: no such version, as of a subject whose versions were deleted.
    if (answer.status === 404 && (body?.['error_code'] === 40401 || body?.['error_code'] === 40402)) return undefined
    const [id, schema] = [body?.['id'], body?.['schema']]
    if (answer.status !== 200) throw this.#refusal(url, answer)
    if (!isSchemaId(id) || typeof schema !== 'string') throw this.#noRegistry(url, answer)
    return { id, schema }
  }

  /** Registers a schema, unless the subject has it. Returns its id. @throws RegistryRefusal, OutboundError */
  async register(subject: string, schema: string): Promise<number> {
    const url = this.#url('subjects', subject, 'versions')
    const body = JSON.stringify({ schema })
    if (body.length > schemaBytesMax)
      throw new RegistryRefusal({ outcome: 'retry', error: `The schema of ${subject} would be larger than 1 MiB.` })
    const answer = await this.#call({ url, headers: { ...this.#headers(), 'content-type': mediaType }, body })
    if (answer.status === 409)
      throw this.#refusal(
        url,
        answer,
        `The schema registry says that the schema of ${subject} is not compatible with the registered one (409). Set the compatibility of the subject to BACKWARD, or delete the subject.`,
      )
    const id = jsonOf(answer)?.['id']
    if (answer.status !== 200) throw this.#refusal(url, answer)
    if (!isSchemaId(id)) throw this.#noRegistry(url, answer)
    return id
  }

  #url(...path: string[]): URL {
    return urlBelow(this.#settings.schemaRegistryUrl, ...path.map(encodeURIComponent))
  }

  #headers(): Record<string, string> {
    const credentials = registryCredentials(this.#settings)
    return {
      accept: `${mediaType}, application/json`,
      ...(credentials !== undefined && { authorization: `Basic ${credentials}` }),
    }
  }

  #refusal(url: URL, answer: HttpAnswer, reason = reasonOf(url, answer)): RegistryRefusal {
    return new RegistryRefusal({ ...notDelivered(url, answer, this.#time, reason), outcome: 'retry' })
  }

  #noRegistry(url: URL, answer: HttpAnswer): RegistryRefusal {
    return this.#refusal(url, answer, `${url.host} did not answer as a schema registry does. Check schemaRegistryUrl.`)
  }
}

function reasonOf(url: URL, { status }: HttpAnswer): string {
  const what = `The schema registry ${url.host}`
  if (status === 401) return `${what} refused the user name or password (401).`
  if (status === 403) return `${what} does not permit this user to read or register the schema (403).`
  if (status === 404) return `${what} has no such path (404). Check schemaRegistryUrl.`
  if (status === 422) return `${what} says that the schema is not valid (422).`
  return `${what} answered ${status}.`
}

function isSchemaId(id: unknown): id is number {
  return Number.isInteger(id) && Number(id) >= 0 && Number(id) <= 0x7fff_ffff
}

/** Identifies a subject of a registry, as one user sees it. */
export function subjectKey(project: string, settings: AvroSettings, subject: string): string {
  const { schemaRegistryUrl, registryUsername = '', registryPassword = '' } = settings
  return createHash('sha256')
    .update(JSON.stringify([project, schemaRegistryUrl, registryUsername, registryPassword, subject]))
    .digest('base64')
}
