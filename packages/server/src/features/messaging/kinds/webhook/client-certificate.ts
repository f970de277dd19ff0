import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readCaCertificate } from '../certificate-setting.ts'
import type { SettingsReader } from '../settings-reader.ts'

/** How a webhook shows who sends, and whom it trusts, by TLS. */
export interface TlsSettings {
  clientCertificate?: string
  clientKey?: string
  caCertificate?: string
}

const certificates = {
  what: 'certificates as PEM, of at most 64 KB',
  pattern: /^-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=-]{1,65000}-----END CERTIFICATE-----\s*$/,
}

/** A handshake signs on the thread of the service: 8 ms with 4,096 bits, 140 ms with 8,192. */
const keyBitsMax = 4_096

/** Reads the certificate of the client, which needs its key, and the authorities of the server. */
export function readTls(read: SettingsReader, url: string): { [K in keyof TlsSettings]-?: string | undefined } {
  const settings = {
    clientCertificate: read.optionalText('clientCertificate', {
      ...certificates,
      remedy: 'Paste the certificate, and after it those between it and its authority.',
    }),
    clientKey: read.optionalText('clientKey', {
      what: 'a private key as PEM, without a passphrase',
      pattern:
        /^-----BEGIN (?:(?:RSA|EC) )?PRIVATE KEY-----[\sA-Za-z0-9+/=]{1,16000}-----END (?:(?:RSA|EC) )?PRIVATE KEY-----\s*$/,
      remedy: 'Paste the private key of the certificate.',
    }),
    caCertificate: readCaCertificate(read),
  }
  const { clientCertificate, clientKey, caCertificate } = settings
  if (clientCertificate !== undefined && clientKey === undefined)
    read.refuse('clientKey', 'is required with clientCertificate.', 'Give the private key of the certificate.')
  if (clientKey !== undefined && clientCertificate === undefined)
    read.refuse('clientCertificate', 'is required with clientKey.', 'Give the certificate of the key.')
  if (clientCertificate !== undefined && clientKey !== undefined && !isPair(clientCertificate, clientKey))
    read.refuse('clientCertificate', 'is not the certificate of clientKey.', 'Give a certificate and its private key.')
  if (clientKey !== undefined && bitsOf(clientKey) > keyBitsMax)
    read.refuse(
      'clientKey',
      `is longer than ${keyBitsMax} bits.`,
      `Use an RSA key of at most ${keyBitsMax} bits, or EC.`,
    )
  if (caCertificate !== undefined && !isCertificate(caCertificate))
    read.refuse('caCertificate', 'is not a certificate.', 'Paste the file of the certificate authority.')
  if (url.startsWith('http:'))
    for (const name of ['clientCertificate', 'caCertificate'] as const)
      if (settings[name] !== undefined)
        read.refuse(name, 'needs a URL with https.', 'Use an https URL, or leave it out.')
  return settings
}

function isPair(certificate: string, key: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

/** Number of bits of an RSA key; 0 of others. */
function bitsOf(key: string): number {
  try {
    return createPrivateKey(key).asymmetricKeyDetails?.modulusLength ?? 0
  } catch {
    return 0
  }
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).subject !== undefined
  } catch {
    return false
  }
}
