import { Type } from 'typebox'
import { type GoogleCredentials, googleEndpointProperty, readGoogleCredentials } from '../google.ts'
import type { KindServices, Read } from '../kind.ts'
import { objectPath } from '../object-settings.ts'
import { type ObjectSettings, objectProperties, readObjectSettings } from '../record-files/index.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'

export interface GcsSettings extends GoogleCredentials, ObjectSettings {
  bucket: string
  endpointUrl?: string
}

export const properties = {
  bucket: Type.String({ description: 'Name of the bucket.' }),
  ...objectProperties,
  endpointUrl: googleEndpointProperty('Cloud Storage'),
}

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<GcsSettings> {
  const read = new SettingsReader(input, at)
  const settings = definedSettings<GcsSettings>({
    bucket: read.text('bucket', {
      what: 'the name of a bucket: 3 to 222 lowercase letters, digits, dots, dashes and underscores',
      pattern: /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/,
      remedy: 'Give the name of your bucket, without gs://.',
    }),
    ...readObjectSettings(read),
    endpointUrl: read.optionalEndpoint(guard, 'Give the endpoint of Cloud Storage.'),
    credentials: readGoogleCredentials(read, guard),
  })
  return { settings, issues: read.issues }
}

/** URL of an object in the XML API. */
export function objectUrl({ bucket, endpointUrl }: GcsSettings, key: string): URL {
  return new URL(`/${bucket}/${objectPath(key)}`, endpointUrl ?? 'https://storage.googleapis.com')
}
