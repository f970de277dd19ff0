import { Type } from 'typebox'
import { type AwsCredentials, awsHost, endpointUrlProperty, readAwsCredentials, readRegion } from '../aws.ts'
import type { KindServices, Read } from '../kind.ts'
import { objectPath } from '../object-settings.ts'
import { type ObjectSettings, objectProperties, readObjectSettings } from '../record-files/index.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'
import { urlBelow } from '../url-below.ts'

export interface S3Settings extends AwsCredentials, ObjectSettings {
  bucket: string
  region: string
  storageClass?: string
  endpointUrl?: string
}

const storageClasses = [
  'STANDARD',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER',
  'GLACIER_IR',
  'DEEP_ARCHIVE',
]

export const properties = {
  bucket: Type.String({ description: 'Name of the bucket.' }),
  region: Type.String({ description: 'AWS region of the bucket, such as eu-central-1.' }),
  ...objectProperties,
  storageClass: Type.String({ description: `Storage class: ${storageClasses.join(', ')}. By default, STANDARD.` }),
  endpointUrl: endpointUrlProperty('S3'),
}

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<S3Settings> {
  const read = new SettingsReader(input, at)
  const settings = definedSettings<S3Settings>({
    bucket: read.text('bucket', {
      what: 'the name of a bucket: 3 to 63 lowercase letters, digits, dots and dashes',
      pattern: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
      remedy: 'Give the name of your bucket.',
    }),
    region: readRegion(read),
    ...readObjectSettings(read),
    storageClass: read.optionalText('storageClass', {
      what: `one of ${storageClasses.join(', ')}`,
      pattern: /^(?:STANDARD|STANDARD_IA|ONEZONE_IA|INTELLIGENT_TIERING|GLACIER|GLACIER_IR|DEEP_ARCHIVE)$/,
    }),
    endpointUrl: read.optionalEndpoint(guard, 'Give the endpoint of S3 in your VPC, or of a compatible service.'),
    ...readAwsCredentials(read),
  })
  return { settings, issues: read.issues }
}

/**
 * URL of an object. The name of the bucket is part of the host, except where that would not match its certificate: with
 * dots, and at an endpoint of the user.
 */
export function objectUrl({ bucket, region, endpointUrl }: S3Settings, key: string): URL {
  const path = objectPath(key)
  if (endpointUrl !== undefined) return urlBelow(endpointUrl, bucket, path)
  const host = awsHost('s3', region)
  return new URL(bucket.includes('.') ? `https://${host}/${bucket}/${path}` : `https://${bucket}.${host}/${path}`)
}
