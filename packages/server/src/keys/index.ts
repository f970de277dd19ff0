export { type KeyStatus, readKeyStatus, readRunningKeyStatus } from './key-status.ts'
export { asKysely, type ReachOptions, withKeyDatabase } from './reach.ts'
export { type Rotated, type RotateOptions, RotationRefused, type RotationStep, rotateKeys } from './rotate.ts'
export { type KeyWatch, watchKeys } from './watch-keys.ts'
