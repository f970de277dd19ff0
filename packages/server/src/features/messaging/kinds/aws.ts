import { createHmac, hash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import { Type } from 'typebox'
import { type HttpAnswer, type HttpCall, jsonOf, notDelivered, xmlCode } from './http-calls.ts'
import type { SendResult } from './kind.ts'
import type { SettingsReader } from './settings-reader.ts'
import { sha256Of } from './streamed-body.ts'

/** Credentials of an AWS identity, as the kinds of AWS store them. */
export interface AwsCredentials {
  awsKeyId: string
  awsSecretKey: string
  /** Of temporary credentials. */
  awsSessionToken?: string
}

export const awsSecretProperties = {
  awsKeyId: Type.String({ description: 'Id of the access key.' }),
  awsSecretKey: Type.String({ description: 'The secret access key.' }),
  awsSessionToken: Type.String({ description: 'The session token of temporary credentials.' }),
}

export const endpointUrlProperty = (service: string) =>
  Type.String({
    description: `Endpoint in place of the public one of ${service}: of a VPC, or of a compatible service.`,
  })

const regionRule = {
  what: 'the id of an AWS region',
  pattern: /^[a-z]{2}(?:-[a-z]{2,10}){1,3}-\d{1,2}$/,
  remedy: 'Give a region, such as eu-central-1.',
}
export const keyRule = { what: 'an access key of AWS', pattern: /^\w{16,128}$/ }
export const secretRule = { what: 'a secret access key of AWS', pattern: /^[A-Za-z0-9/+=]{16,128}$/ }
const tokenRule = { what: 'a session token of AWS', pattern: /^[A-Za-z0-9/+=]{1,4096}$/ }

export const readRegion = (read: SettingsReader) => read.text('region', regionRule)

export function readAwsCredentials(read: SettingsReader) {
  return {
    awsKeyId: read.text('awsKeyId', { ...keyRule, remedy: 'Give the id of an access key.' }),
    awsSecretKey: read.text('awsSecretKey', { ...secretRule, remedy: 'Give the secret access key.' }),
    awsSessionToken: read.optionalText('awsSessionToken', tokenRule),
  }
}

/** Returns what must not be shown. The id of a key is not secret, but stays with its secret. */
export function awsSecretsOf({ awsKeyId, awsSecretKey, awsSessionToken }: AwsCredentials): string[] {
  return [awsSecretKey, awsKeyId, ...(awsSessionToken === undefined ? [] : [awsSessionToken])]
}

/** The public endpoint of a service in a region. */
export function awsHost(service: string, region: string): string {
  return `${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}

/**
 * Signs with the functions of Node. Those of Web Crypto, which the library calls, wait for another thread a dozen times
 * for each request, and take ten times as long.
 */
class Signer extends AwsV4Signer {
  readonly #content: Buffer | string

  constructor({ content, ...options }: ConstructorParameters<typeof AwsV4Signer>[0] & { content: Buffer | string }) {
    super(options)
    this.#content = content
  }

  override async hexBodyHash(): Promise<string> {
    return sha256Of(this.#content)
  }

  override async stringToSign(): Promise<string> {
    const hashed = hash('sha256', await this.canonicalString())
    return ['AWS4-HMAC-SHA256', this.datetime, this.credentialString, hashed].join('\n')
  }

  override async signature(): Promise<string> {
    const sign = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()
    const key = this.credentialString.split('/').reduce(sign, Buffer.from(`AWS4${this.secretAccessKey}`))
    return sign(key, await this.stringToSign()).toString('hex')
  }
}

/** Signs a call (AWS Signature Version 4). The credentials do not travel with it. */
export async function signedForAws(
  call: HttpCall & { body?: Buffer | string },
  { service, region, credentials, time }: { service: string; region: string; credentials: AwsCredentials; time: Date },
): Promise<HttpCall> {
  const { awsKeyId, awsSecretKey, awsSessionToken } = credentials
  const { method = 'POST', url, headers, body } = call
  const signer = new Signer({
    method,
    url: url.href,
    headers,
    content: body ?? '',
    accessKeyId: awsKeyId,
    secretAccessKey: awsSecretKey,
    ...(awsSessionToken !== undefined && { sessionToken: awsSessionToken }),
    service,
    region,
    datetime: time.toISOString().replace(/[:-]|\.\d{3}/g, ''),
  })
  const signed = await signer.sign()
  return { ...call, method, headers: Object.fromEntries([...signed.headers].filter(([name]) => name !== 'host')) }
}

/** What an answer that is an error of AWS means for a message. Shows its code, which people look up. */
export function awsError(url: URL, answer: HttpAnswer, time: Date): SendResult {
  const code = jsonCode(answer) ?? xmlCode(answer)
  if (code === undefined) return notDelivered(url, answer, time)
  const result = notDelivered(url, answer, time, `${url.host} answered ${answer.status} (${code}).`)
  return tooLarge.has(code) ? { ...result, outcome: 'refused' } : result
}

/** Codes of a message, or of its key, that is too large. */
const tooLarge = new Set(['EntityTooLarge', 'KeyTooLongError'])

function jsonCode(answer: HttpAnswer): string | undefined {
  const code = jsonOf(answer)?.['__type'] ?? answer.headers['x-amzn-errortype']
  // With a namespace before it: "com.amazonaws.sqs#QueueDoesNotExist".
  return typeof code === 'string' ? /^(?:[\w.]{1,100}#)?([A-Z][A-Za-z.]{2,80})/.exec(code)?.[1] : undefined
}
