import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { checkProviderFiles, type FileToCheck } from '@mortise/providers/check'

/** Entry of the thread that checks one provider file against those of the release. Posts the faults. */
const folder = join(import.meta.dirname, '../../../../../providers/providers')
const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml'))
const builtIn = await Promise.all(
  names.map(async (path): Promise<FileToCheck> => ({ path, text: await readFile(join(folder, path), 'utf8') })),
)
parentPort?.postMessage(checkProviderFiles([workerData as FileToCheck], builtIn))
