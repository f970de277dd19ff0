import { useEffect, useState } from 'react'

/** The value as it was when it last stayed the same for a moment: what is typed asks the service once. */
export function useSettled<T>(value: T, settleMs = 400): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs)
    return () => clearTimeout(timer)
  }, [value, settleMs])
  return settled
}
