// SPDX-License-Identifier: Apache-2.0
// Tests `mbc import` of MJCF: files that are refused, with the line.
#include <doctest/doctest.h>

#include "tests/tools/robot_texts.h"

namespace mbc::test {

// ---- files that are refused

TEST_CASE("MJCF: files that are refused, with the line") {
  struct Refused {
    std::string text, message;
  };
  const std::string body = "<body name=\"b\"><joint name=\"j\"/><geom size=\"0.1\"/></body>";
  const auto joint = [](const std::string& joints) {
    return in_world("<body name=\"b\">\n" + joints + "<geom size=\"0.1\"/></body>");
  };
  const auto with = [&](const std::string& section) {
    return in_mujoco("<worldbody>" + body + "</worldbody>\n" + section);
  };
  const Refused kFiles[] = {
      {"<mujoco>\n<worldbody>\n</mujoco>", "<stdin>:3: this is no XML"},
      {"<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n<mujoco>&b;</mujoco>",
       "<stdin>:2: the file declares entities, which are not expanded"},
      {"<mujoco/>", "the file has no body"},
      {joint("<freejoint/>\n<joint/>\n"), "<stdin>:5: a body with a free joint has no other joint"},
      {joint("<joint type=\"ball\"/>\n<joint/>\n"),
       "<stdin>:5: a body with a ball joint has no other joint that turns"},
      {in_world("<body><joint/><geom size=\"0.1\"/>\n<body><freejoint/><geom size=\"1\"/></body></body>"),
       "<stdin>:4: only a body in the world has a free joint"},
      {in_world("<joint/>"), "<stdin>:3: the world has no joints"},
      {in_world("<body name=\"b\"><joint/></body>"), "<stdin>:3: link `b` has no mass and moves by joint `b_joint`"},
      {joint("<joint class=\"gone\"/>"), "<stdin>:4: there is no class `gone` of defaults"},
      {joint("<joint axis=\"0 0 0\"/>"), "<stdin>:4: the axis of joint `b_joint` is zero"},
      {joint("<joint damping=\"nan\"/>"), "<stdin>:4: `damping` of <joint> is `nan`: 1 to 3 finite numbers are wanted"},
      {joint("<joint range=\"1 inf\"/>"), "`range` of <joint> is `1 inf`: 2 finite numbers are wanted"},
      {joint("<joint range=\"10 -10\"/>"), "<stdin>:4: the lower end of `range` is not below the upper one"},
      {joint("<joint type=\"screw\"/>"), "`type` of <joint> is `screw`, not one of free, ball, slide, hinge"},
      {joint("<joint name=\"j\"/>\n<joint name=\"j\"/>"),
       "<stdin>:5: there are two joints `j`, the other one in line 4"},
      {in_world(body + "\n" + body), "<stdin>:4: there are two bodies `b`"},
      {in_world("<body name=\"world\"><geom size=\"1\"/></body>"), "there are two bodies `world`"},
      {in_world("<body><joint/><geom/></body>"), "a size of the geom is not positive"},
      {in_world("<body><joint/><geom type=\"mesh\" mesh=\"m\"/></body>"), "the mass of this body is that of a mesh"},
      {in_world("<body><joint/><inertial mass=\"1\" diaginertia=\"1 1 1\"/></body>"), "<inertial> has no `pos`"},
      {in_world("<body><joint/><inertial pos=\"0 0 0\" mass=\"-1\" diaginertia=\"1 1 1\"/></body>"), "is negative"},
      {in_world("<body quat=\"0 0 0 0\"/>"), "<stdin>:3: `quat` of <body> is no direction"},
      {in_world("<body>\n<composite/></body>"), "<stdin>:4: <composite> is not taken over"},
      {in_world("<flexcomp/>"), "<flexcomp> is not taken over: flexible bodies"},
      {in_world("<body><geom type=\"hfield\"/></body>"), "height fields are not taken over"},
      {in_world("<attach/>"), "<attach> is not taken over: save the model as one file"},
      {with("<compiler coordinate=\"global\"/>"), "<stdin>:3: places in global coordinates are no longer part of MJCF"},
      {with("<compiler eulerseq=\"xyw\"/>"), "`eulerseq` is `xyw`"},
      {with("<option density=\"1.2\"/>"), "<stdin>:3: the forces of a fluid are not taken over"},
      {with("<default><default/></default>"), "a <default> inside of another one needs a `class`"},
      {with("<extension><plugin/></extension>"), "plugins are not taken over"},
      {with("<deformable><flex/></deformable>"), "<flex> is not taken over"},
      {with("<equality>\n<connect body1=\"gone\" anchor=\"0 0 0\"/></equality>"), "<stdin>:4: there is no body `gone`"},
      {with("<equality><joint joint1=\"gone\"/></equality>"), "there is no joint `gone`"},
      {with("<equality><flex flex=\"f\"/></equality>"), "flexible bodies are not taken over"},
      {with("<tendon><spatial><geom geom=\"g\"/></spatial></tendon>"), "tendons that wrap around geoms"},
      {with("<actuator>\n<muscle joint=\"j\"/></actuator>"), "<stdin>:4: muscles are not taken over"},
      {with("<actuator><adhesion body=\"b\"/></actuator>"), "adhesion is not taken over"},
      {with("<actuator><general dyntype=\"user\" joint=\"j\"/></actuator>"), "`dyntype` of <general> is `user`"},
      {with("<actuator><motor joint=\"gone\"/></actuator>"), "there is no joint `gone`"},
      {with("<actuator><motor/></actuator>"), "the actuator acts on nothing"},
      {with("<actuator><motor name=\"u\" joint=\"j\"/><motor name=\"u\" joint=\"j\"/></actuator>"),
       "there are two actuators `u`"},
      {with("<keyframe>\n<key qpos=\"1 2\"/></keyframe>"),
       "<stdin>:4: `qpos` of the keyframe has 2 numbers, and the model 1"},
      {with("<sensor><jointpos joint=\"gone\"/></sensor>"), "is of a joint `gone`, which there is not"},
  };
  for (const Refused& file : kFiles) {
    const Ran ran = run_mbc({"import", "-"}, {.input = file.text});
    CAPTURE(file.text);
    CHECK(ran.code == 1);
    CHECK(ran.out.empty());
    CHECK_MESSAGE(has(ran.err, file.message), ran.err);
  }
  std::string deep = "<mujoco><worldbody>", ends;
  for (int k = 0; k < 100'000; ++k) deep += "<body>", ends += "</body>";
  CHECK(has(run_mbc({"import", "-"}, {.input = deep + ends + "</worldbody></mujoco>"}).err, "nested too deeply"));
  CHECK(has(run_mbc({"import", "-", "--keyframe", "gone"}, {.input = in_world(body)}).err,
            "there is no keyframe `gone`"));
  CHECK(has(run_mbc({"import", "-", "--base", "free"}, {.input = in_world(body)}).err, "`--base free` is for URDF"));
  CHECK(has(run_mbc({"compare", "gone.xml"}).err, "`mbc import gone.xml -o robot.mbd` makes a model of it"));
}

}  // namespace mbc::test
