import type { Fields } from '../fields.ts'
import type { Delivery } from '../manifest.ts'
import { present } from '../present.ts'
import type { Scope } from './scope.ts'

/** `delivery` of a read object. */
export function readDelivery({ report }: Scope, object: Fields): Delivery | undefined {
  const delivery = object.map('delivery', ['mode', 'pageSize'])
  if (delivery === undefined) return undefined
  const mode = delivery.oneOf('mode', ['auto', 'onRequest'], 'delivery-mode-enum')
  const pageSize = delivery.integer('pageSize', 'delivery-onrequest-pagesize-range', 50, 500)
  if (mode === 'onRequest' && !delivery.has('pageSize')) {
    report('delivery-onrequest-pagesize-required', delivery.at('pageSize'), {
      message: '`mode: onRequest` comes without a `pageSize`.',
      suggestion: 'Add a `pageSize` from 50 to 500.',
    })
  }
  const isAuto = mode === 'auto' || !delivery.has('mode')
  if (isAuto && delivery.has('pageSize')) {
    report('delivery-auto-no-pagesize', delivery.at('pageSize'), {
      message: '`pageSize` is meant for `mode: onRequest`; here it only caps the records of a message.',
      suggestion: 'Remove `pageSize`, or write `mode: onRequest`.',
      value: pageSize,
    })
  }
  return present({ mode, pageSize })
}
