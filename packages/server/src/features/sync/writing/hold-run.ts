import type { ProjectDb } from '../../../kernel/db/index.ts'
import { keepRun, leaseMs } from './run-store.ts'

/** Says every few seconds that the holder of a run lives, while `work` goes on. */
export async function holdRun<T>(
  db: ProjectDb,
  { operationId, fence }: { operationId: string; fence: string },
  work: () => Promise<T>,
): Promise<T> {
  // What it misses is found when something is settled: the fence tells.
  const timer = setInterval(() => void keepRun(db, operationId, fence).catch(() => undefined), leaseMs / 3)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
