import type { LiveConnections, Services } from '../../../services.ts'

/** Keeps the connections that this node uses. */
export function createLiveConnections(
  _services: Pick<Services, 'database' | 'keyring' | 'catalogue' | 'outbound' | 'now' | 'log'>,
): LiveConnections {
  return {
    open: () => Promise.reject(new Error('not built yet')),
    stop: async () => {},
  }
}
