import { parentPort, workerData } from 'node:worker_threads'
import { nearest, validateManifest } from '@mortise/manifest'
import type { ManifestRequest, ManifestWorkerData } from './manifest-request.ts'

/**
 * Entry of the thread that reads manifests: a manifest that costs too much ends the thread, never the service. Posts
 * `ready`, then one result per request.
 */
const { providers, broken } = workerData as ManifestWorkerData
const byName = new Map(providers.map((entry) => [entry.name, entry]))
const names = [...byName.keys()]
const catalogue = {
  find: (name: string) => byName.get(name),
  isBroken: (name: string) => broken.includes(name),
  suggest: (name: string) => nearest(name, names),
}

parentPort?.on('message', ({ source, destinations, ...others }: ManifestRequest) => {
  const options = { ...others, catalogue, destinations: new Set(destinations) }
  parentPort?.postMessage(validateManifest(source, options))
})
parentPort?.postMessage('ready')
