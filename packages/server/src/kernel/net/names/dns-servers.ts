import { isIP } from 'node:net'

/**
 * Reads the setting MORTISE_DNS_SERVERS: addresses with an optional port, comma-separated.
 *
 * @returns the servers as `dns.setServers` takes them
 * @throws Error that names the part that cannot be read
 */
export function parseDnsServers(setting: string): string[] {
  return setting
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [, v6, v4, port] = /^(?:\[([0-9a-f:.]+)\]|([0-9.]+))(?::(\d{1,5}))?$/i.exec(part) ?? []
      const isServer = isIP(part) !== 0 || isIP(v6 ?? '') === 6 || isIP(v4 ?? '') === 4
      if (!isServer || (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)))
        throw new Error(`must hold IP addresses, with a port where it is not 53; ${part} is not one.`)
      return part
    })
}
