import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { type Benchmark, runAlone } from './benchmark.ts'
import { timeGrouped } from './rig/grouped-destinations.ts'
import { fullOrShort } from './rig/short.ts'
import { timeStoredRecords } from './rig/stored-records.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const limits = { write: 0.2, pages: 0.5, grouped: 0.5 }
const storedSizes = { rounds: fullOrShort(5, 2), pages: fullOrShort(1_000, 200), roundMs: fullOrShort(2_000, 500) }
const groupedSizes = { rounds: fullOrShort(5, 2), pages: fullOrShort(1_000, 200) }

/**
 * Destinations of the types `records` and `by-group`: records stored for requests, pages of them, and messages that are
 * given to the destinations of groups. Each part has its limit.
 */
export const records: Benchmark = {
  name: 'records',
  measures: 'records/s from provider to a destination of type records ÷ a bare COPY loop of the same rows; also pages',
  goal: { least: limits.write },
  async run(say) {
    await using folder = await temporaryFolder()
    const own = async (name: string) => {
      const path = join(folder.path, name)
      await mkdir(path)
      // PostgreSQL's account, where root runs this, has to pass through.
      await chmod(path, 0o711)
      return path
    }
    const { write, pages } = await timeStoredRecords(await own('stored'), storedSizes, say)
    const folders = { grouped: await own('grouped'), direct: await own('direct') }
    const grouped = await timeGrouped(folders, groupedSizes, say)
    say(
      `write ${write.ratio} (limit ≥ ${limits.write}), pages ${pages.ratio} (limit ≥ ${limits.pages}), by group ${grouped.ratio} of one webhook (limit ≥ ${limits.grouped})`,
    )
    return {
      value: write.ratio,
      holds: pages.ratio >= limits.pages && grouped.ratio >= limits.grouped,
      details: { write, pages, grouped },
    }
  },
}

if (import.meta.main) process.exitCode = (await runAlone(records)) ? 0 : 1
