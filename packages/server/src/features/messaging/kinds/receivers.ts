import { createHash } from 'node:crypto'

/** Who gets a secret setting of a kind. An update that adds a receiver must send the secret again (decision 0135). */
export interface SecretReceivers<S extends object> {
  /** Names of the settings that decide it, besides the secret itself. Empty if none does. */
  settings: readonly string[]
  /**
   * Names the receivers, normalized: settings that lead to the same receivers return the same texts. Everything counts
   * that a receiver could use, such as a signature or an access token that is made with the secret.
   */
  of(settings: S): readonly string[]
  /**
   * Whether an update of `metadata.url` alone keeps it: existing clients change the address of a webhook in this
   * way. Only for settings that everyone who may update the destination may read, with `includeSecrets`.
   */
  isKeptByUrlAlone?: true
}

/** Of a secret that no setting sends to another server. */
export const fixedReceiver: SecretReceivers<object> = { settings: [], of: () => [] }

/** Of a setting that is a URL with secrets: it names its server itself, but not whom TLS trusts to be this server. */
export const inItsUrl: SecretReceivers<{ caCertificate?: string }> = {
  settings: ['caCertificate'],
  of: ({ caCertificate }) => trustedBy(caCertificate),
}

/**
 * A server. Without TLS, everybody on the way receives what is sent. With an authority of the user, so does everybody
 * on the way who has a certificate of it. To go back to TLS or to the public authorities adds no receiver.
 */
export function serverReceivers(
  { host, port, tls }: { host: string; port: number; tls: boolean },
  caCertificate?: string,
): string[] {
  const server = `${host.toLowerCase()}:${port}`
  return [server, ...(tls ? trustedBy(caCertificate) : [`the network to ${server}`])]
}

/** The server of a URL over HTTP. */
export function httpReceivers(url: string, caCertificate?: string): string[] {
  const { protocol, hostname, port } = new URL(url)
  const tls = protocol === 'https:'
  const used = port === '' ? (tls ? 443 : 80) : Number(port)
  return serverReceivers({ host: hostname, port: used, tls }, caCertificate)
}

/** The server of `endpointUrl`, or the public endpoints of a cloud, in whatever region. */
export function cloudReceivers(cloud: string): SecretReceivers<{ endpointUrl?: string }> {
  return {
    settings: ['endpointUrl'],
    of: ({ endpointUrl }) => (endpointUrl === undefined ? [cloud] : httpReceivers(endpointUrl)),
  }
}

function trustedBy(caCertificate: string | undefined): string[] {
  if (caCertificate === undefined) return []
  return [`certificates of ${createHash('sha256').update(caCertificate.trim()).digest('base64')}`]
}
