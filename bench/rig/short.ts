import process from 'node:process'

/**
 * Whether benchmarks only show that they run, with few and short rounds. Their results are neither stored nor judged.
 * `--short` of `npm run bench` sets it.
 */
export const isShort = process.env['MORTISE_BENCH_SHORT'] === '1' || process.argv.includes('--short')

/** Returns how many of something a measurement needs, or how many suffice to show that it runs. */
export function fullOrShort(full: number, short: number): number {
  return isShort ? short : full
}
