import { Type } from 'typebox'
import { type AwsCredentials, endpointUrlProperty, readAwsCredentials } from '../aws.ts'
import type { KindServices, Read } from '../kind.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'

export interface SqsSettings extends AwsCredentials {
  /** `https://sqs.REGION.amazonaws.com/ACCOUNT/NAME` */
  queueUrl: string
  endpointUrl?: string
}

export const properties = {
  queueUrl: Type.String({
    description:
      'URL of the queue, such as https://sqs.eu-central-1.amazonaws.com/123456789012/events. The messages of an installation are a group of a FIFO queue.',
  }),
  endpointUrl: endpointUrlProperty('SQS'),
}

/** Of a queue: the region, and the host that is spoken to unless `endpointUrl` says otherwise. */
const queueShape =
  /^https:\/\/(?:sqs\.([a-z0-9-]{5,30})|([a-z0-9-]{5,30})\.queue)\.amazonaws\.com(?:\.cn)?\/\d{12}\/[\w-]{1,80}(?:\.fifo)?$/
const remedy = 'Give the URL of your queue, such as https://sqs.eu-central-1.amazonaws.com/123456789012/events.'

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<SqsSettings> {
  const read = new SettingsReader(input, at)
  const settings = definedSettings<SqsSettings>({
    queueUrl: read.text('queueUrl', { what: 'the URL of a queue of SQS', pattern: queueShape, remedy }),
    endpointUrl: read.optionalEndpoint(guard, 'Give the endpoint of SQS in your VPC.'),
    ...readAwsCredentials(read),
  })
  return { settings, issues: read.issues }
}

export const isFifo = ({ queueUrl }: SqsSettings) => queueUrl.endsWith('.fifo')

/** Where requests go. */
export function sqsUrl({ queueUrl, endpointUrl }: SqsSettings): URL {
  return new URL('/', endpointUrl ?? queueUrl)
}

export function regionOf({ queueUrl }: SqsSettings): string {
  const [, region, older] = queueShape.exec(queueUrl) ?? []
  return region ?? older ?? ''
}
