import type { RegistrationPlan, Subscriber } from '@mortise/providers'
import type { RegistrationRow } from './store.ts'

/** Returns plans for each place. If the provider does not list them: for those that are registered, and the error. */
export async function placesOf(
  subscriber: Subscriber,
  plans: readonly RegistrationPlan[],
  there: readonly RegistrationRow[],
  signal: AbortSignal,
): Promise<{ places: RegistrationPlan[]; error?: unknown }> {
  try {
    return { places: await subscriber.spread(plans, signal) }
  } catch (error) {
    signal.throwIfAborted()
    const places = plans.flatMap((plan) => {
      const keys = there.flatMap((row) => (isPlaceOf(row, plan) ? [row.key] : []))
      return [...new Set(keys)].map((key) => ({ ...plan, key }))
    })
    return { places, error }
  }
}

/** Whether a registration is one of a plan that is spread over places. */
export function isPlaceOf({ key }: { key: string }, plan: RegistrationPlan): boolean {
  return key.startsWith(`${plan.key}\n{`)
}
