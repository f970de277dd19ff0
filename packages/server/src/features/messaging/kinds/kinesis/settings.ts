import { Type } from 'typebox'
import { type AwsCredentials, awsHost, endpointUrlProperty, readAwsCredentials, readRegion } from '../aws.ts'
import type { KindServices, Read } from '../kind.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'
import { readTemplate } from '../template.ts'

export interface KinesisSettings extends AwsCredentials {
  streamName: string
  region: string
  partitionKeyTemplate?: string
  endpointUrl?: string
}

export const properties = {
  streamName: Type.String({ description: 'Name of the stream.' }),
  region: Type.String({ description: 'AWS region of the stream, such as eu-central-1.' }),
  partitionKeyTemplate: Type.String({
    description:
      "JMESPath expression that makes the partition key of a message, such as join('_', [data.groupRef, data.objectName]). By default, and where it makes no text, the id of the message.",
  }),
  endpointUrl: endpointUrlProperty('Kinesis'),
}

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<KinesisSettings> {
  const read = new SettingsReader(input, at)
  const settings = definedSettings<KinesisSettings>({
    streamName: read.text('streamName', {
      what: 'the name of a stream: 1 to 128 letters, digits, underscores, dots and dashes',
      pattern: /^[\w.-]{1,128}$/,
      remedy: 'Give the name of your stream.',
    }),
    region: readRegion(read),
    partitionKeyTemplate: readTemplate(read, 'partitionKeyTemplate'),
    endpointUrl: read.optionalEndpoint(guard, 'Give the endpoint of Kinesis in your VPC.'),
    ...readAwsCredentials(read),
  })
  return { settings, issues: read.issues }
}

/** Where requests go. */
export function kinesisUrl({ endpointUrl, region }: KinesisSettings): URL {
  return new URL('/', endpointUrl ?? `https://${awsHost('kinesis', region)}`)
}
