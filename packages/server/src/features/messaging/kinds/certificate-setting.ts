import { Type } from 'typebox'
import type { SettingsReader } from './settings-reader.ts'

/** Schema of the setting `caCertificate`. */
export const caCertificateProperty = Type.String({
  description: 'Certificate authority that signed the certificate of the server, as PEM. By default, the public ones.',
})

/** Reads `caCertificate`: the certificate authority of the server, PEM. */
export function readCaCertificate(read: SettingsReader): string | undefined {
  return read.optionalText('caCertificate', {
    what: 'a certificate as PEM, of at most 64 KB',
    pattern: /^-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=-]{1,65000}-----END CERTIFICATE-----\s*$/,
    remedy: 'Paste the file of the certificate authority.',
  })
}
