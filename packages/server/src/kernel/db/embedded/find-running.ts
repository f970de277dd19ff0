import path from 'node:path'
import { readPostmasterFile, runningPostmaster } from './holder.ts'
import { chooseLocation, exists, locationFile } from './place.ts'
import { socketPort } from './socket-folder.ts'

/** Whether there is an embedded database in Mortise's folder; looks only. */
export async function hasEmbedded(homeDir: string): Promise<boolean> {
  return (await exists(path.join(homeDir, locationFile))) || (await exists(path.join(homeDir, 'postgres', 'data')))
}

/** The embedded PostgreSQL that a Mortise runs on this folder right now; undefined when none takes connections. */
export async function findRunning(
  homeDir: string,
  systemDir = '/var/lib/mortise',
): Promise<{ host: string; port: number } | undefined> {
  const { dataDir } = await chooseLocation(path.resolve(homeDir), systemDir)
  if ((await runningPostmaster(dataDir)) === undefined) return undefined
  const file = await readPostmasterFile(dataDir)
  return file?.state === 'ready' && file.socketDir !== '' ? { host: file.socketDir, port: socketPort } : undefined
}
