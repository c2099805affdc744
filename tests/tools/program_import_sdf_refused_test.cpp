// SPDX-License-Identifier: Apache-2.0
// Tests `mbc import` of SDF: files that are refused, what is told, and files that are damaged.
#include <doctest/doctest.h>

#include <random>

#include "tests/tools/sdf_texts.h"

namespace mbc::test {
namespace {

struct Refused {
  std::string text, message;
};

// Two links and a joint, on lines 3 to 5.
std::string with_joint(const std::string& type, const std::string& inside, const std::string& version = "1.9") {
  return in_model(link("a") + link("b") + joint("j", type, "a", "b", inside), version);
}

// Everything that is read, in one file.
const char* kWhole = R"(<?xml version="1.0"?>
<sdf version="1.9"><world name="w"><gravity>0 0 -9.81</gravity><physics name="p" default="true"><max_step_size>0.002</max_step_size></physics>
<frame name="corner"><pose degrees="true">1 2 0 0 0 90</pose></frame>
<model name="floor"><static>true</static><link name="link"><collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>
<model name="robot" canonical_link="base" placement_frame="foot"><pose relative_to="corner">0 0 1 0 0 0</pose>
<frame name="foot" attached_to="base"><pose rotation_format="quat_xyzw">0 0 -0.5 0 0 0 1</pose></frame>
<link name="base"><inertial><pose>0 0 0.1 0 0 0</pose><mass>3</mass><inertia><ixx>1</ixx><ixy>0.1</ixy><iyy>1</iyy><izz>1</izz></inertia></inertial>
<visual name="v"><pose relative_to="foot">0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry></visual></link>
<model name="arm"><pose relative_to="base">0 0 0.3 0 0 0</pose><link name="upper"/><link name="lower"><pose relative_to="elbow"/></link>
<joint name="elbow" type="universal"><pose relative_to="upper">0 0 1 0 0 0</pose><parent>upper</parent><child>lower</child>
<axis><xyz expressed_in="__model__">1 0 0</xyz><limit><lower>-1</lower><upper>inf</upper><effort>3</effort></limit></axis><axis2><xyz>0 1 0</xyz><mimic joint="elbow" axis="axis"><multiplier>2</multiplier></mimic></axis2></joint></model>
<joint name="shoulder" type="ball"><parent>base</parent><child>arm::upper</child></joint>
<link name="nut"/><link name="wheel"/><link name="pinion"/>
<joint name="thread" type="screw"><parent>base</parent><child>nut</child><axis><xyz>0 0 1</xyz><dynamics><damping>1</damping><friction>0.2</friction></dynamics></axis><thread_pitch>20</thread_pitch></joint>
<joint name="w" type="continuous"><parent>base</parent><child>wheel</child><axis><xyz>0 0 1</xyz></axis></joint>
<joint name="p" type="revolute"><parent>base</parent><child>pinion</child><axis><xyz>0 0 1</xyz></axis></joint>
<joint name="g" type="gearbox"><parent>wheel</parent><child>pinion</child><axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2><gearbox_ratio>2</gearbox_ratio><gearbox_reference_body>base</gearbox_reference_body></joint>
<joint name="loop" type="ball"><parent>arm::lower</parent><child>nut</child></joint>
</model></world></sdf>
)";

}  // namespace

TEST_CASE("SDF: files that are refused, with the line") {
  const std::string ends = "<parent>a</parent><child>b</child>";
  const auto frames = [](const std::string& inside, const std::string& version = "1.9") {
    return in_model(link("a") + inside, version);
  };
  const Refused kFiles[] = {
      {"<sdf>\n<model", "<stdin>:2: this is no XML"},
      {"<sdf/>", "<stdin>:1: <sdf> has no `version`"},
      {in_sdf("", "1.4"),
       "<stdin>:1: this is SDF 1.4, and versions 1.5 to 1.9 are read: `gz sdf -p FILE` prints a newer one"},
      {in_sdf("", "1.11"), "<stdin>:1: this is SDF 1.11, and versions 1.5 to 1.9 are read\n"},
      {in_sdf("", "2.0"), "<stdin>:1: this is SDF 2.0, and versions 1.5 to 1.9 are read\n"},
      {in_sdf("", "1.9x"), "<stdin>:1: this is SDF 1.9x, and versions 1.5 to 1.9 are read\n"},
      {"<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n<sdf version=\"1.9\">&b;</sdf>",
       "the file declares entities"},
      {in_sdf("<light/>"), "<stdin>:1: the file has no <world> and no <model>"},
      {in_sdf("<world name=\"a\"/>\n<world name=\"b\"/>"), "<stdin>:3: the file has several worlds: leave one"},
      {in_sdf("<world name=\"a\"/>\n<model name=\"b\"/>"), "<stdin>:3: a <model> stands beside a <world>"},
      {in_sdf("<model name=\"a\"/>\n<model name=\"b\"/>"), "<stdin>:3: several models stand in a <world>"},
      {in_sdf("<world name=\"w\">\n</world>"), "<stdin>:1: the file has no link"},
      {in_model(""), "<stdin>:2: the model `m` has no link"},
      {in_sdf("<model>" + link("a") + "</model>"), "<stdin>:2: <model> has no name"},
      {in_model(link("a") + link("a")), "<stdin>:4: the link `a` has the name of the link in line 3"},
      {frames("<frame name=\"a\"/>"), "<stdin>:4: the frame `a` has the name of the link in line 3"},
      {frames("<frame name=\"__a__\"/>"), "<stdin>:4: the name `__a__` of <frame> is reserved in SDF"},
      {in_model(link("world")), "<stdin>:3: the name `world` of <link> is reserved in SDF"},
      {in_model(link("a::b")), "<stdin>:3: the name `a::b` of <link> is reserved in SDF"},
      {frames("<frame name=\"f\" attached_to=\"gone\"/>"),
       "<stdin>:4: `attached_to` `gone` of the frame `f` is no frame there"},
      {frames("<frame name=\"f\" attached_to=\"h\"/>\n<frame name=\"h\" attached_to=\"f\"/>"),
       "the frame `f` is attached to itself, over others or not"},
      {frames(
           "<frame name=\"f\"><pose relative_to=\"h\"/></frame>\n<frame name=\"h\"><pose relative_to=\"f\"/></frame>"),
       "<stdin>:4: the frame `f` is placed relative to itself, over others or not"},
      {frames("<frame name=\"f\"><pose relative_to=\"gone\"/></frame>"),
       "<stdin>:4: `relative_to` `gone` of the frame `f`"},
      {in_model("<link name=\"a\"><pose>0 0 0 0 0</pose></link>"),
       "<stdin>:3: <pose> is `0 0 0 0 0`: 6 finite numbers are wanted"},
      {in_model("<link name=\"a\"><pose>0 0 nan 0 0 0</pose></link>"), "<stdin>:3: <pose> is `0 0 nan 0 0 0`"},
      {in_model("<link name=\"a\"><pose rotation_format=\"quat_xyzw\">0 0 0 0 0 0</pose></link>"),
       "7 finite numbers are wanted"},
      {in_model("<link name=\"a\"><pose rotation_format=\"quat_xyzw\">0 0 0 0 0 0 0</pose></link>"),
       "<stdin>:3: the quaternion of <pose> is zero"},
      {in_model("<link name=\"a\"><pose rotation_format=\"euler\">0 0 0 0 0 0</pose></link>"),
       "`rotation_format` of <pose> is `euler`, not euler_rpy or quat_xyzw"},
      {in_model("<link name=\"a\"><pose rotation_format=\"quat_xyzw\" degrees=\"1\">0 0 0 0 0 0 1</pose></link>"),
       "<stdin>:3: a quaternion is not in degrees"},
      {in_model("<link name=\"a\"><pose degrees=\"yes\">0 0 0 0 0 0</pose></link>"),
       "`degrees` of <pose> is `yes`, not true or false"},
      {in_model("<link name=\"a\"><pose degrees=\"true\">0 0 0 0 0 0</pose></link>", "1.8"),
       "<stdin>:3: `degrees` of <pose> is part of SDF since 1.9, and this is 1.8"},
      {in_model("<link name=\"a\"><pose relative_to=\"b\">0 0 0 0 0 0</pose></link>", "1.6"),
       "<stdin>:3: `relative_to` of <pose> is part of SDF since 1.7, and this is 1.6"},
      {in_model("<link name=\"a\"><pose frame=\"b\">0 0 0 0 0 0</pose></link>"),
       "`frame` of <pose> is part of SDF up to 1.6, and this is 1.9"},
      {in_sdf("<model name=\"m\" placement_frame=\"a\">" + link("a") + "</model>", "1.7"),
       "`placement_frame` of <model> is part of SDF since 1.8"},
      {in_sdf("<model name=\"m\" placement_frame=\"b\">" + link("a") + "</model>"),
       "<stdin>:2: `placement_frame` `b` is no frame of the model `m`"},
      {in_sdf("<model name=\"m\" canonical_link=\"b\">" + link("a") + "</model>"),
       "<stdin>:2: `canonical_link` `b` is no link of the model `m`"},
      {in_model("<link name=\"a\"><inertial>\n<mass>-1</mass></inertial></link>"),
       "<stdin>:3: the mass of `a` is negative"},
      {in_model("<link name=\"a\"><inertial>\n<mass>0</mass></inertial></link>"),
       "<stdin>:3: the mass of `a` is 0: in SDF each link has one"},
      {in_model("<link name=\"a\"><inertial>\n<mass/></inertial></link>"),
       "<stdin>:4: <mass> is ``: a finite number is wanted"},
      {in_model("<link name=\"a\"><inertial>\n<mass>1</mass><mass>2</mass></inertial></link>"),
       "<stdin>:4: <inertial> has two <mass>"},
      {in_model("<link name=\"a\"><inertial><inertia><ixx>1</ixx><iyy>1</iyy><izz>3</izz></inertia></inertial></link>"),
       "<stdin>:3: no body has the inertia of link `a`, principal moments 1, 1 and 3 kg*m^2"},
      {in_model("<link name=\"a\"><inertial><pose relative_to=\"a\">0 0 0 0 0 0</pose></inertial></link>"),
       "the <pose> of <inertial> is relative to its link alone"},
      {in_model("<link name=\"a\"><gravity>perhaps</gravity></link>"), "<gravity> is `perhaps`, not true or false"},
      {in_model("<link name=\"a\"><visual "
                "name=\"v\"><geometry>\n<sphere><radius>-1</radius></sphere></geometry></visual></link>"),
       "<stdin>:4: a size of the shape is not positive"},
      {with_joint("hinge", ""), "<stdin>:5: `hinge` of joint `j` is no type of SDF"},
      {with_joint("revolute", ""), "<stdin>:5: joint `j` has no <axis>"},
      {with_joint("universal", axis("1 0 0")), "<stdin>:5: joint `j` has no <axis2>"},
      {with_joint("revolute", axis("0 0 0")), "<stdin>:5: the axis of joint `j` is zero"},
      {with_joint("revolute", axis("0 0")), "<stdin>:5: <xyz> is `0 0`: 3 finite numbers are wanted"},
      {with_joint("revolute", "<axis><xyz expressed_in=\"gone\">1 0 0</xyz></axis>"),
       "<stdin>:5: `expressed_in` `gone` is no frame there"},
      {with_joint("revolute", "<axis><xyz expressed_in=\"a\">1 0 0</xyz></axis>", "1.6"),
       "`expressed_in` of <xyz> is part of SDF since 1.7"},
      {with_joint("revolute", axis("1 0 0", "<use_parent_model_frame>1</use_parent_model_frame>")),
       "<use_parent_model_frame> is part of SDF up to 1.6, and this is 1.9"},
      {with_joint("revolute", axis("1 0 0", "<limit><lower>2</lower><upper>1</upper></limit>")),
       "<stdin>:5: the lower limit of joint `j` is above the upper one"},
      {with_joint("revolute", axis("1 0 0", "<dynamics><damping>-1</damping></dynamics>")),
       "damping, friction and spring_stiffness are not negative"},
      {with_joint("revolute", axis("1 0 0", "<mimic joint=\"k\"/>")),
       "<stdin>:5: <mimic> of joint `j` names `k`, which is no joint with such an axis there"},
      {with_joint("revolute", axis("1 0 0", "<mimic joint=\"j\" axis=\"axis2\"/>")),
       "<mimic> of joint `j` names `j`, which is no joint"},
      {with_joint("revolute", axis("1 0 0", "<mimic joint=\"j\"/>")),
       "<stdin>:5: joint `j` mimics itself, over others or not"},
      {with_joint("screw", axis("1 0 0") + "<thread_pitch>0</thread_pitch>"), "<stdin>:5: `thread_pitch` is 0"},
      {with_joint("screw", axis("1 0 0") + "<thread_pitch>1</thread_pitch><screw_thread_pitch>1</screw_thread_pitch>"),
       "<stdin>:5: `screw_thread_pitch` is not the lead of `thread_pitch`, -2*pi/thread_pitch"},
      {with_joint("gearbox", axis("1 0 0") + axis("1 0 0", "", "axis2")),
       "`gearbox_reference_body` of joint `j` is ``, which is no link there"},
      {with_joint("gearbox",
                  axis("1 0 0") + axis("1 0 0", "", "axis2") + "<gearbox_reference_body>a</gearbox_reference_body>"),
       "<stdin>:5: gearbox `j`: no joint turns `a` against `a` about its <axis>"},
      {in_model(link("a") + joint("j", "fixed", "a", "gone")),
       "<stdin>:4: <child> `gone` of the joint `j` is no frame there"},
      {in_model(link("a") + joint("j", "fixed", "a", "world")),
       "<stdin>:4: <child> `world` of the joint `j` is no frame there"},
      {in_model(link("a") + joint("j", "fixed", "gone", "a")),
       "<stdin>:4: joint `j` has the parent `gone`, which is no link or frame there"},
      {in_model(link("a") + "<joint name=\"j\" type=\"fixed\"><parent>a</parent></joint>"),
       "<stdin>:4: joint `j` has no <child>"},
      {in_model(link("a") + joint("j", "fixed", "a", "a")), "<stdin>:4: joint `j` joins link `a` to itself"},
      {in_sdf("<world name=\"w\"><physics><max_step_size>0</max_step_size></physics><model name=\"m\">" + link("a") +
              "</model></world>"),
       "<stdin>:2: <max_step_size> is not positive"},
  };
  for (const Refused& file : kFiles) {
    const Ran ran = run_mbc({"import", "-"}, {.input = file.text});
    CAPTURE(file.text);
    CHECK(ran.code == 1);
    CHECK(ran.out.empty());
    CHECK_MESSAGE(has(ran.err, file.message), ran.err << file.message);
  }
  std::string deep = "<sdf version=\"1.9\">", closed;
  for (int k = 0; k < 100'000; ++k) deep += "<model name=\"m\">", closed += "</model>";
  CHECK(has(run_mbc({"import", "-"}, {.input = deep + closed + "</sdf>"}).err, "nested too deeply"));
  CHECK(has(run_mbc({"import", "-", "--base", "free"}, {.input = in_model(link("a"))}).err,
            "`--base free` is for URDF: in SDF"));
  CHECK(
      has(run_mbc({"import", "-", "--keyframe", "k"}, {.input = in_model(link("a"))}).err, "`--keyframe` is for MJCF"));
  CHECK(has(run_mbc({"import", "-", "--models", "k"}, {.input = "<robot name=\"r\"/>"}).err, "`--models` is for SDF"));
  CHECK(has(run_mbc({"compare", "gone.sdf"}).err, "`mbc import gone.sdf -o robot.mbd` makes a model of it"));
}

TEST_CASE("SDF: what is not taken over is told with its line") {
  const std::string file = in_model(
      "<link "
      "name=\"a\"><kinematic>true</kinematic><self_collide>false</self_collide><velocity_decay><linear>0.1</linear></"
      "velocity_decay>" +
      inertial(1, 1) +
      "\n<visual name=\"v\"><geometry><mesh><uri>a.dae</uri></mesh></geometry></visual><odd x=\"1\"/></link>\n"
      "<link name=\"b\">" +
      inertial(1, 1) +
      "</link>\n<joint name=\"j\" type=\"continuous\"><parent>a</parent><child>b</child>\n"
      "<axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>1</upper><stiffness>9</stiffness></limit></axis>\n"
      "<axis2><xyz>1 0 "
      "0</xyz></axis2><thread_pitch>1</thread_pitch><physics/></joint><allow_auto_disable>1</allow_auto_disable>");
  const Ran ran = run_mbc({"import", "-"}, {.input = file});
  CHECK(ran.code == 0);
  CHECK(ran.err ==
        "mbc: <stdin>:8: not taken over: <allow_auto_disable> in <model>\n"
        "mbc: <stdin>:4: not taken over: <odd> in <link>\n"
        "mbc: <stdin>:3: not taken over: <kinematic>\n"
        "mbc: <stdin>:3: not taken over: <velocity_decay>\n"
        "mbc: <stdin>:4: not taken over: <mesh> in <geometry>\n"
        "mbc: <stdin>:8: not taken over: <physics> in <joint>\n"
        "mbc: <stdin>:8: not taken over: <thread_pitch> of a joint that is no screw\n"
        "mbc: <stdin>:8: not taken over: <axis2> of a joint that has none\n"
        "mbc: <stdin>:7: not taken over: the limits of a joint that turns freely\n"
        "mbc: <stdin>:7: not taken over: softness of limits: they are exact\n");
}

TEST_CASE("SDF: a file with everything, and what becomes of it when it is damaged") {
  const std::string whole = kWhole;
  const std::string text = imported_robot(whole);
  const Model model = model_of(text);
  CHECK(Simulation::create(model).ok());
  std::mt19937 random(11);
  int read = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::string damaged = whole;
    const int times = 1 + static_cast<int>(random() % 3);
    for (int k = 0; k < times; ++k) {
      const std::size_t at = random() % damaged.size(), count = random() % 12;
      switch (random() % 5) {
        case 0:
          damaged.erase(at, count);
          break;
        case 1:
          damaged.insert(at, damaged.substr(random() % damaged.size(), 60));
          break;
        case 2:
          damaged[at] = static_cast<char>(random() % 256);
          break;
        case 3: {  // another number or name in the place of one
          const std::size_t from = damaged.find_first_of(">\"", at);
          if (from != std::string::npos) damaged.insert(from + 1, random() % 2 == 0 ? "1e308 " : "base");
          break;
        }
        default: {  // one element less
          const std::size_t from = damaged.find('<', at), to = damaged.find('>', from);
          if (to != std::string::npos) damaged.erase(from, to - from + 1);
        }
      }
    }
    const Ran ran = run_mbc({"import", "-"}, {.input = damaged});
    CAPTURE(damaged);
    CHECK(ran.signal == 0);
    CHECK((ran.code == 0 || ran.code == 1));
    if (ran.code == 1) CHECK(has(ran.err, "<stdin>"));
    if (ran.code == 0) ++read;
  }
  CHECK(read > 20);  // some are whole
}

}  // namespace mbc::test
