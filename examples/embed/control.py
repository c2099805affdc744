# SPDX-License-Identifier: Apache-2.0
"""A control loop from Python: computed torque leads a two-link arm to joint angles. python3 control.py"""
import mbc

ARM = """mbd 1
param m = 1 [kg], L = 0.5 [m]
gravity (0, 0, -9.81) [m/s^2]
coord q1 = 30 [deg], q2 = 60 [deg]
particle elbow(m) follows L*(sin(q1), 0, cos(q1))
particle hand(m) follows elbow.pos + L*(sin(q1 + q2), 0, cos(q1 + q2))
input tau1 [N*m] = 0
input tau2 [N*m] = 0
load motor1 on q1: tau1
load motor2 on q2: tau2
simulate { time = 0 [s] .. 2 [s] step 1 [ms]; integrator = rk4 }
"""
target, kp, kd = (0.2, 1.1), 40, 12  # rad, 1/s^2, 1/s

arm = mbc.parse(ARM).simulation()
for k in range(2000):  # the loop of the host: measure, compute, set inputs, step
    q, u = arm.state[0:2], arm.state[2:4]  # y = [q; u; s; w]
    arm.inputs["tau1"] = arm.inputs["tau2"] = 0
    rows = arm.rows(arm.time, arm.state)  # M u' = f + A^T lambda; f without the torques
    wanted = [kp * (target[i] - q[i]) - kd * u[i] for i in range(2)]
    for i, name in enumerate(("tau1", "tau2")):
        arm.inputs[name] = sum(rows.M[i][j] * wanted[j] for j in range(2)) - rows.f[i]
    arm.step(1e-3)
print(f"q = {arm.state[0]:.4f}, {arm.state[1]:.4f}; hand.z = {arm.value('hand.z'):.4f} at t = {arm.time:.1f}")


def drive(t, y, inputs):  # the loop of mbc calls the host: the arm is only damped
    inputs[0], inputs[1] = -y[2], -0.5 * y[3]


arm.reset()
result = arm.run(drive=drive)
print(f"falls to hand.z = {min(result['hand.z']):.4f}")

arm.set_state(0, [0, 0, 0, 0] + list(arm.state[4:]))  # any time and state; inputs keep their values
arm.inputs["tau1"] = arm.inputs["tau2"] = 0
print(f"upright: hand.z = {arm.value('hand.z'):.1f}, q1'' = {abs(arm.accelerations(0, arm.state)[0]):.1f}")
