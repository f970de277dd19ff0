import { parentPort, workerData } from 'node:worker_threads'
import type { CatalogueFault } from '@mortise/providers/check'
import {
  type StandInGroup,
  type StandInObject,
  type StandInRequest,
  testWithStandIn,
  type Untested,
} from '@mortise/providers/stand-in'
import { builtInFiles } from '../provider-checking/built-in-files.ts'

/** What the thread reports: each part of the result as soon as it is known. */
export type StandInMessage =
  | { kind: 'file'; groups: StandInGroup[] }
  | { kind: 'object'; object: StandInObject }
  | { kind: 'end'; faults: CatalogueFault[]; untested: Untested[] }

/** Entry of the thread that tests a provider file. It may be anybody's, and may cost any time. */
const post = (message: StandInMessage) => parentPort?.postMessage(message)
const request = workerData as Omit<StandInRequest, 'builtIn'>
const result = await testWithStandIn(
  { ...request, builtIn: await builtInFiles() },
  { file: (groups) => post({ kind: 'file', groups }), object: (object) => post({ kind: 'object', object }) },
)
post({ kind: 'end', faults: [], untested: [], ...result })
