import { attack } from './s16-timing.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
