import type { RuleId } from './rule-table.ts'

/** One thing that is wrong (`error`) or that the author should know (`advice`). */
export interface Finding {
  level: 'error' | 'advice'
  rule: RuleId
  /** `$.integrations[0].read.objects[0].schedule` */
  path: string
  /** Counted from 1; 0 where there is no place in the text. */
  line: number
  /** Counted from 1; 0 where there is no place in the text. */
  column: number
  message: string
  /** What to do about it. */
  suggestion?: string
  /** The offending value where it is a plain one; long text is cut. */
  value?: string | number | boolean
}
