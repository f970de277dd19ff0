import { Type } from 'typebox'
import { type HttpAnswer, jsonOf, notDelivered, xmlCode } from './http-calls.ts'
import type { SendResult } from './kind.ts'
import { cloudReceivers } from './receivers.ts'
import type { SettingsReader } from './settings-reader.ts'

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

export const toAws = cloudReceivers('AWS')

/** The secret key signs requests, and the others are in them. */
export const awsReceivers = { awsKeyId: toAws, awsSecretKey: toAws, awsSessionToken: toAws }

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
