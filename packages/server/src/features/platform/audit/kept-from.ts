import type { Config } from '../../../config.ts'

/** Returns the start of the first day whose entries are kept. */
export function keptFrom({ auditRetentionDays }: Pick<Config, 'auditRetentionDays'>, now: Date): Date {
  const day = new Date(now)
  day.setUTCHours(0, 0, 0, 0)
  day.setUTCDate(day.getUTCDate() - auditRetentionDays)
  return day
}
