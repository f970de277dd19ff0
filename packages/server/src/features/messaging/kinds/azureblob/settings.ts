import { Type } from 'typebox'
import type { KindServices, Read } from '../kind.ts'
import { objectPath } from '../object-settings.ts'
import { type ObjectSettings, objectProperties, readObjectSettings } from '../record-files/index.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'
import { urlBelow } from '../url-below.ts'

export interface AzureBlobSettings extends ObjectSettings {
  account: string
  container: string
  endpointUrl?: string
  accessKey: string
}

export const properties = {
  account: Type.String({ description: 'Name of the storage account.' }),
  container: Type.String({ description: 'Name of the container.' }),
  ...objectProperties,
  endpointUrl: Type.String({
    description: 'Endpoint in place of the public one of Blob Storage, without the container.',
  }),
}

export const secretProperties = { accessKey: Type.String({ description: 'An access key of the storage account.' }) }

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<AzureBlobSettings> {
  const read = new SettingsReader(input, at)
  const settings = definedSettings<AzureBlobSettings>({
    account: read.text('account', {
      what: 'the name of a storage account: 3 to 24 lowercase letters and digits',
      pattern: /^[a-z0-9]{3,24}$/,
      remedy: 'Give the name of the account, not its URL.',
    }),
    container: read.text('container', {
      what: 'the name of a container: 3 to 63 lowercase letters, digits and single dashes',
      pattern: /^(?=.{3,63}$)[a-z0-9]+(?:-[a-z0-9]+)*$/,
      remedy: 'Give the name of your container.',
    }),
    ...readObjectSettings(read),
    endpointUrl: read.optionalEndpoint(guard, 'Give the endpoint of Blob Storage.'),
    accessKey: read.text('accessKey', {
      what: 'an access key of a storage account, in base64',
      pattern: /^[A-Za-z0-9+/]{16,256}={0,2}$/,
      remedy: 'Copy an access key of the account from the Azure portal.',
    }),
  })
  return { settings, issues: read.issues }
}

/** URL of a blob. */
export function blobUrl({ account, container, endpointUrl }: AzureBlobSettings, key: string): URL {
  return urlBelow(endpointUrl ?? `https://${account}.blob.core.windows.net`, container, objectPath(key))
}
